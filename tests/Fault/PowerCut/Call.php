<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\PowerCut;

/**
 * A system call that succeeded, or failed by order of the test.
 */
final readonly class Call
{
    /** @param list<string> $arguments strings as they are, all else as strace prints it */
    private function __construct(
        public string $name,
        public array $arguments,
        public int $result,
        public bool $failed,
    ) {}

    public static function fromLine(string $line): ?self
    {
        if (preg_match('/^\d+ +(\w+)\((.*)\) += (-?\d+)(.*)$/', $line, $m) !== 1) {
            return null;
        }

        $failed = (int) $m[3] < 0;

        // A call that the kernel refused changed nothing. A sync that the test made fail is kept.
        if ($failed && ! str_contains($m[4], 'INJECTED')) {
            return null;
        }

        return new self($m[1], array_map(self::text(...), explode(', ', $m[2])), (int) $m[3], $failed);
    }

    /** Returns the message of the child to the test, if the call is one. */
    public function said(): ?string
    {
        return $this->name === 'write' && $this->arguments[0] === '1' ? trim($this->arguments[1]) : null;
    }

    private static function text(string $argument): string
    {
        return str_starts_with($argument, '"')
            ? (string) hex2bin(str_replace('\x', '', trim($argument, '"')))
            : $argument;
    }
}
