<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

use Headroom\Doctor\Edit;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * Applies the fix of a finding exactly as it is printed: its edits from the last to the first, then its commands.
 */
final readonly class PrintedFix
{
    private const SETTLE_MICROS = 1_500_000;

    /**
     * @param array{
     *     text: string,
     *     edits: list<array{file: string, line: ?int, old: ?string, new: ?string}>,
     *     commands: list<string>,
     *     ...
     * } $fix of a finding
     */
    public function __construct(private array $fix) {}

    /**
     * @param string $directory in which the commands run
     * @return list<string> the changes
     */
    public function apply(string $directory): array
    {
        if ($this->fix['edits'] === [] && $this->fix['commands'] === []) {
            throw new RuntimeException(
                "A fix without edits and commands cannot be applied: {$this->fix['text']}",
            );
        }

        $done = [];

        foreach (array_map(Edit::fromArray(...), array_reverse($this->fix['edits'])) as $edit) {
            $after = $edit->appliedTo(is_file($edit->file) ? (string) file_get_contents($edit->file) : '');
            file_put_contents($edit->file, $after) === strlen($after)
                || throw new RuntimeException("{$edit->file} could not be written.");
            $done[] = implode(' ', $edit->lines());
        }

        foreach ($this->fix['commands'] as $command) {
            $process = Process::fromShellCommandline(
                self::asWhoWeAre($command),
                $directory,
                Application::environment(),
                timeout: 120,
            );
            $process->run() === 0
                || throw new RuntimeException(
                    "'{$command}' ended with {$process->getExitCode()}:"
                        ." {$process->getErrorOutput()}{$process->getOutput()}",
                );
            $done[] = $command;
        }

        // The servers handle signals a moment later.
        usleep(self::SETTLE_MICROS);

        return $done;
    }

    /** Root needs no sudo, and may not have it. */
    private static function asWhoWeAre(string $command): string
    {
        return posix_geteuid() === 0 ? preg_replace('/(?<=\A|&& )sudo /', '', $command) ?? '' : $command;
    }
}
