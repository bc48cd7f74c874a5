<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\NotApplicable;
use Headroom\Process\Proc;

/**
 * The programs of Supervisor on this machine that run queue workers, from its files.
 *
 * @internal
 */
final readonly class SupervisorPrograms
{
    /** The default files of supervisord. */
    private const FILES = ['/etc/supervisord.conf', '/etc/supervisor/supervisord.conf'];

    private const COMMAND =
        '/(?:(?<artisan>[^\s"\']*artisan)["\']?\s+)(?<name>queue:work|queue:listen|horizon)(?=\s|["\']|\z)'
        .'(?<rest>.*)/s';

    /**
     * @param list<SupervisorProgram> $programs
     * @param list<string> $files that were read
     */
    public function __construct(public array $programs, public array $files) {}

    /**
     * @throws NotApplicable
     * @throws FactUnavailable
     */
    public static function ofThisMachine(string $root = '', Proc $proc = new Proc): self
    {
        $files = [];

        foreach ([...self::started($proc), ...self::FILES] as $file) {
            if (is_file($root.$file)) {
                $files = self::withIncluded($root, $file);

                break;
            }
        }

        if ($files === []) {
            throw NotApplicable::of('there is no Supervisor here: no '.implode(' and no ', self::FILES));
        }

        return new self(array_merge(
            ...array_map(static fn (string $file): array => self::programs($root, $file), $files),
        ), $files);
    }

    /** @return list<string> files that a supervisord which runs was started with */
    private static function started(Proc $proc): array
    {
        foreach (array_keys($proc->named('supervisord')) as $pid) {
            $words = $proc->commandLine($pid);

            foreach ($words as $at => $word) {
                $file = match (true) {
                    $word === '-c' || $word === '--configuration' => $words[$at + 1] ?? '',
                    str_starts_with($word, '--configuration=') => substr($word, 16),
                    default => '',
                };

                if ($file !== '' && $proc->isElsewhere($pid) !== true) {
                    return [$file[0] === '/' ? $file : "{$proc->workingDirectory($pid)}/{$file}"];
                }
            }
        }

        return [];
    }

    /** @return non-empty-list<string> */
    private static function withIncluded(string $root, string $file): array
    {
        $files = [$file];

        foreach (self::sections($root, $file) as [$name, , $keys]) {
            $patterns = $name === 'include' ? preg_split('/\s+/', trim($keys['files'][0] ?? '')) : [];

            foreach ($patterns === false ? [] : $patterns as $pattern) {
                $pattern = str_replace('%(here)s', dirname($file), $pattern);
                $path = str_starts_with($pattern, '/') ? $pattern : dirname($file)."/{$pattern}";

                $found = $pattern === '' ? [] : glob($root.$path);

                foreach ($found === false ? [] : $found as $one) {
                    $files[] = substr($one, strlen($root));
                }
            }
        }

        return $files;
    }

    /** @return list<SupervisorProgram> */
    private static function programs(string $root, string $file): array
    {
        $programs = [];

        foreach (self::sections($root, $file) as [$name, $line, $keys]) {
            $command = $keys['command'][0] ?? '';

            if (preg_match('/\Aprogram:(.+)\z/', $name, $of) !== 1 || preg_match(self::COMMAND, $command, $m) !== 1) {
                continue;
            }

            $directory = $keys['directory'][0] ?? '';
            $artisan = str_starts_with($m['artisan'], '/') || $directory === ''
                ? $m['artisan']
                : "{$directory}/{$m['artisan']}";
            // Another command of a shell may follow.
            $rest = (string) preg_replace('/[;&|].*/s', '', $m['rest']);
            $words = preg_split('/[\s"\']+/', $rest, flags: PREG_SPLIT_NO_EMPTY);
            [$connection, $timeout] = QueueWorkers::options($words === false ? [] : $words);
            $isWorkedOut = preg_match('/--timeout[=\s]+\S*[%$`]/', $rest) === 1;
            $programs[] = new SupervisorProgram(
                $of[1],
                $file,
                $line,
                $m['name'] === 'horizon',
                $connection,
                $isWorkedOut ? null : $timeout,
                str_starts_with($artisan, '/') && ! str_contains($artisan, '%') ? $artisan : '',
                $keys['stopwaitsecs'][0] ?? null,
                $keys['stopwaitsecs'][1] ?? null,
                $keys['stopwaitsecs'][2] ?? null,
            );
        }

        return $programs;
    }

    /**
     * The sections as Python's ConfigParser reads them, with Supervisor's comments.
     *
     * @return list<array{string, int, array<string, array{string, int, string}>}> name, line, and value,
     *     line and text by key
     */
    private static function sections(string $root, string $file): array
    {
        if (! is_readable($root.$file)) {
            throw FactUnavailable::because("{$file} of Supervisor may not be read.", "sudo cat {$file}");
        }

        $heads = [];
        $keys = [];
        $key = null;

        foreach (explode("\n", (string) file_get_contents($root.$file)) as $at => $text) {
            $text = rtrim($text, "\r");
            $content = preg_replace('/\s;.*|\A[;#].*/', '', $text) ?? '';
            $last = count($heads) - 1;
            $before = $key === null ? null : $keys[$last][$key] ?? null;

            if (preg_match('/\A\[([^]]+)\]/', $content, $m) === 1) {
                $heads[] = [$m[1], $at + 1];
                $keys[] = [];
                $key = null;
            } elseif ($key !== null && $before !== null && preg_match('/\A\s+\S/', $content) === 1) {
                $keys[$last][$key] = [$before[0].' '.trim($content), $before[1], $before[2]];
            } elseif ($last >= 0 && preg_match('/\A([\w.-]+)\s*[=:]\s*(.*)\z/', $content, $m) === 1) {
                $key = strtolower($m[1]);
                $keys[$last][$key] = [trim($m[2]), $at + 1, $text];
            }
        }

        return array_map(
            static fn (int $number, array $head): array => [$head[0], $head[1], $keys[$number] ?? []],
            array_keys($heads),
            $heads,
        );
    }
}
