<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

use FFI;

/**
 * Memory by process_vm_readv(2), which needs the FFI extension.
 */
final readonly class VmReadv implements Memory
{
    private const LIBC = <<<'C'
        typedef struct { uint64_t base; uint64_t length; } part;
        long process_vm_readv(
            int pid, part *local, unsigned long locals, part *remote, unsigned long remotes, unsigned long flags
        );
        C;

    private const LARGEST = 65_536;

    private FFI $libc;

    private FFI\CData $buffer;

    private FFI\CData $local;

    private FFI\CData $remote;

    public function __construct(private int $pid)
    {
        $this->libc = FFI::cdef(self::LIBC, 'libc.so.6');
        $this->buffer = $this->libc->new('uint8_t['.self::LARGEST.']');
        $this->local = $this->libc->new('part[1]');
        $this->remote = $this->libc->new('part[1]');
        $this->local[0]->base = $this->libc->cast('uint64_t', FFI::addr($this->buffer))->cdata;
    }

    public function read(int $address, int $bytes): string
    {
        if ($address <= 0 || $bytes > self::LARGEST) {
            throw UnableToRead::because("{$bytes} bytes at {$address}: no place of a process");
        }

        $this->local[0]->length = $bytes;
        $this->remote[0]->base = $address;
        $this->remote[0]->length = $bytes;
        $read = $this->libc->process_vm_readv($this->pid, $this->local, 1, $this->remote, 1, 0);

        return $read === $bytes
            ? FFI::string($this->buffer, $bytes)
            : throw UnableToRead::because("process_vm_readv({$this->pid}) read {$read} of {$bytes} bytes");
    }
}
