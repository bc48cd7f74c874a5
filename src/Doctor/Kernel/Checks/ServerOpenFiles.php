<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\Process\RaisedOpenFiles;
use Headroom\Doctor\Kernel\Process\ServerProcess;
use Headroom\Doctor\Kernel\Process\ServerProcesses;

/**
 * @internal
 */
final readonly class ServerOpenFiles implements Check
{
    private const SHARE = 0.8;

    public function examine(Facts $facts): iterable
    {
        $findings = [];
        $unread = [];
        $fullest = null;

        foreach ($facts->get(ServerProcesses::class)->processes as $process) {
            try {
                $limit = $process->limits()->openFiles();
                $open = $process->openFiles();
                $evidence = self::evidence($process, $open, $limit);

                if ($open > self::SHARE * $limit) {
                    $findings[] = self::finding($process, $open, $limit, $evidence);
                }

                $fullest = $fullest === null || $open / max(1, $limit) > $fullest[0]
                    ? [$open / max(1, $limit), $evidence]
                    : $fullest;
            } catch (FactUnavailable $e) {
                // A process that has ended has no files.
                if ($process->isThere()) {
                    $unread[$process->program] ??= Finding::unavailable($e)
                        ->about($process->program);
                }
            }
        }

        return [
            ...$findings,
            ...array_values($unread),
            ...($findings === [] && $fullest !== null
                ? [Finding::pass('the servers may open more files', $fullest[1])]
                : []),
        ];
    }

    private static function evidence(ServerProcess $process, int $open, int $limit): Evidence
    {
        return new Evidence(
            "open files of {$process->name()}",
            $limit === PHP_INT_MAX ? "{$open}, without a limit" : "{$open} of {$limit}",
            "/proc/{$process->pid}/limits and fd",
        );
    }

    private static function finding(ServerProcess $process, int $open, int $limit, Evidence $evidence): Finding
    {
        $more = RaisedOpenFiles::than($limit, $process->limits()->mostOpenFiles());

        return Finding::fail(
            "The process has {$open} of {$limit} files open.",
            [$evidence],
            'The next connections wait or fail although the server is idle.',
            new Fix(
                'Raise the limit of the running process, and of the next one in its unit:'
                    ." LimitNOFILE={$more->wanted} in the section [Service]. If it fills up again, a client does not"
                    .' close its connections.',
                commands: [
                    "sudo prlimit --pid {$process->pid} --nofile={$more->now}",
                    "sudo systemctl edit {$process->program}   # [Service], LimitNOFILE={$more->wanted};"
                        .' by the name of its unit',
                ],
                rollback: "Remove the line from the unit, then run: sudo prlimit --pid {$process->pid}"
                    ." --nofile={$more->before}",
                verify: "grep 'open files' /proc/{$process->pid}/limits",
            ),
        )->about($process->name())->observed();
    }
}
