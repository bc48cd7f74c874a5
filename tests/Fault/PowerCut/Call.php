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

        // What the kernel refused changed nothing; a sync that was made to fail is of interest.
        if ($failed && ! str_contains($m[4], 'INJECTED')) {
            return null;
        }

        return new self($m[1], array_map(self::text(...), explode(', ', $m[2])), (int) $m[3], $failed);
    }

    /** What the child told the test by this. */
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
