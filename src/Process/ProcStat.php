<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * One line of /proc/PID/stat, in the format of proc(5).
 *
 * @internal
 */
final readonly class ProcStat
{
    /**
     * @param string $state one letter, Z for a zombie
     * @param int $cpuTicks user and system time of the process itself, in clock ticks (1/100 s)
     * @param int $startTicks clock ticks since boot; pid and start time together identify a process
     */
    private function __construct(
        public int $pid,
        public string $name,
        public string $state,
        public int $parent,
        public int $cpuTicks,
        public int $startTicks,
    ) {}

    public static function fromLine(string $line): ?self
    {
        // The name is in brackets and may contain brackets, blanks and newlines: the last bracket ends it.
        if (preg_match('/\A(\d+) \((.*)\) (\S) (.*)\z/s', rtrim($line), $m) !== 1) {
            return null;
        }

        $rest = explode(' ', $m[4]);

        return count($rest) < 19
            ? null
            : new self((int) $m[1], $m[2], $m[3], (int) $rest[0], (int) $rest[10] + (int) $rest[11], (int) $rest[18]);
    }

    public function isAlive(): bool
    {
        return ! in_array($this->state, ['Z', 'X', 'x'], true);
    }
}
