<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

/**
 * Memory by /proc/PID/mem, which needs no extension.
 */
final readonly class MemoryFile implements Memory
{
    /** @var resource */
    private mixed $file;

    /** @throws UnableToRead */
    public function __construct(int $pid)
    {
        $file = @fopen("/proc/{$pid}/mem", 'rb');
        $this->file = $file === false ? throw UnableToRead::because("/proc/{$pid}/mem cannot be opened.") : $file;
        stream_set_read_buffer($this->file, 0);
    }

    public function read(int $address, int $bytes): string
    {
        $read = $address > 0 && @fseek($this->file, $address) === 0 ? @fread($this->file, $bytes) : false;

        return $read !== false && strlen($read) === $bytes
            ? $read
            : throw UnableToRead::because("{$bytes} bytes at {$address}: no place of the process");
    }
}
