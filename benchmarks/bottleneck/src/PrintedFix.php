<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

use Headroom\Doctor\Edit;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * What a finding says to do, done as it stands there: its edits from the last to the first, then its commands. Nothing is put in
 * that is not in it.
 */
final readonly class PrintedFix
{
    private const SETTLE_MICROS = 1_500_000;

    /** @param array{text: string, edits: list<array{file: string, line: ?int, old: ?string, new: ?string}>, commands: list<string>, ...} $fix of a finding */
    public function __construct(private array $fix) {}

    /**
     * @param string $directory in which somebody would stand who types its commands
     * @return list<string> what was done
     */
    public function apply(string $directory): array
    {
        if ($this->fix['edits'] === [] && $this->fix['commands'] === []) {
            throw new RuntimeException("A fix without edits and commands can not be done as it stands there: {$this->fix['text']}");
        }

        $done = [];

        foreach (array_reverse($this->fix['edits']) as $edit) {
            $before = is_file($edit['file']) ? (string) file_get_contents($edit['file']) : '';
            $after = self::edit($edit)->appliedTo($before);
            file_put_contents($edit['file'], $after) === strlen($after) || throw new RuntimeException("{$edit['file']} could not be written.");
            $done[] = implode(' ', self::edit($edit)->lines());
        }

        foreach ($this->fix['commands'] as $command) {
            $process = Process::fromShellCommandline(self::asWhoWeAre($command), $directory, self::terminal(), timeout: 120);
            $process->run() === 0 || throw new RuntimeException("'{$command}' ended with {$process->getExitCode()}: {$process->getErrorOutput()}{$process->getOutput()}");
            $done[] = $command;
        }

        // Signals are taken when the servers come to it.
        usleep(self::SETTLE_MICROS);

        return $done;
    }

    /** Root needs no sudo, and may not have it. */
    private static function asWhoWeAre(string $command): string
    {
        return posix_geteuid() === 0 ? preg_replace('/\Asudo /', '', $command) ?? '' : $command;
    }

    /** @return array<string, string|false> a terminal's, without what this benchmark was started with */
    private static function terminal(): array
    {
        return ['PATH' => (string) getenv('PATH')] + array_fill_keys(array_map(strval(...), array_keys(getenv() + $_ENV)), false);
    }

    /** @param array{file: string, line: ?int, old: ?string, new: ?string} $edit */
    private static function edit(array $edit): Edit
    {
        return match (true) {
            $edit['line'] === null => Edit::append($edit['file'], (string) $edit['new']),
            $edit['old'] === null => Edit::insert($edit['file'], $edit['line'], (string) $edit['new']),
            $edit['new'] === null => Edit::remove($edit['file'], $edit['line'], $edit['old']),
            default => Edit::replace($edit['file'], $edit['line'], $edit['old'], $edit['new']),
        };
    }
}
