<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Process\Programs;

/**
 * The log of the kernel, by dmesg. In a container it is the log of the host, if it may be read at all.
 *
 * @internal
 */
final readonly class KernelLog
{
    public const COMMAND = 'sudo dmesg -T';

    private const UPTIME = '/proc/uptime';

    /** @param list<KernelLogLine> $lines the oldest first */
    private function __construct(private array $lines) {}

    /** @throws FactUnavailable */
    public static function read(
        KernelFiles $files = new KernelFiles,
        ExternalProgram $program = new ExternalProgram,
    ): self {
        $dmesg = Programs::optional('dmesg') ?? throw UnreadableKernel::noProgram('dmesg', 'util-linux', self::COMMAND);

        return self::parse($program->output([$dmesg], 'dmesg'), $files->read(self::UPTIME));
    }

    /**
     * @param string $text lines that begin with seconds since the start of the machine: "[   12.345678] TCP: ..."
     * @param string $uptime of /proc/uptime
     *
     * @throws FactUnavailable
     */
    public static function parse(string $text, string $uptime): self
    {
        $now = preg_match('/\A\d+\.\d+/', $uptime, $m) === 1
            ? (float) $m[0]
            : throw UnreadableKernel::noField(self::UPTIME, 'time');
        $lines = [];

        foreach (explode("\n", $text) as $line) {
            if (preg_match('/\A(?:<\d+>)?\[ *(\d+\.\d+)\] (.*)\z/', $line, $m) === 1) {
                $lines[] = new KernelLogLine(max(0.0, $now - (float) $m[1]), $m[2]);
            }
        }

        // Without printk.time the kernel writes no times, so an old line could not be told from a new one.
        return $lines === [] && trim($text) !== '' ? throw UnreadableKernel::garbage('dmesg', $text) : new self($lines);
    }

    /** The last line that matches, of no more than so many seconds ago. */
    public function last(string $pattern, float $seconds): ?Evidence
    {
        $lines = $this->matching($pattern, $seconds);

        return $lines === [] ? null : $lines[count($lines) - 1]->evidence();
    }

    /** @return list<KernelLogLine> that match, of no more than so many seconds ago, the oldest first */
    public function matching(string $pattern, float $seconds): array
    {
        return array_values(array_filter(
            $this->lines,
            static fn (KernelLogLine $line): bool => $line->secondsAgo <= $seconds
                && preg_match($pattern, $line->text) === 1,
        ));
    }
}
