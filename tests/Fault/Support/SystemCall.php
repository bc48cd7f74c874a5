<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

/**
 * One system call of a run, by its name and how many of that name came before.
 */
final readonly class SystemCall
{
    /** @param int<1, max> $time the how manyth of its name */
    public function __construct(public string $name, public int $time, public string $text) {}

    /** As strace wants it. */
    public function with(string $fault): string
    {
        return "{$this->name}:{$fault}:when={$this->time}";
    }

    public function inWords(): string
    {
        return "{$this->name}#{$this->time}: {$this->text}";
    }
}
