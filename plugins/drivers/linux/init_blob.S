/* The compiled init program as bytes of the plugin. */
    .section .rodata
    .globl cocoon_init_begin
    .hidden cocoon_init_begin
    .globl cocoon_init_end
    .hidden cocoon_init_end
    .balign 16
cocoon_init_begin:
    .incbin COCOON_INIT_PATH
cocoon_init_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
