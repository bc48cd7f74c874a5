<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\Process\RaisedOpenFiles;
use Headroom\Doctor\Kernel\Process\ServerProcess;
use Headroom\Doctor\Kernel\Process\ServerProcesses;
use Headroom\Doctor\Kernel\UnableToTell;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class ServerOpenFiles implements Check
{
    private const SHARE = 0.8;

    public function rule(): Rule
    {
        return new Rule(
            'S6',
            'A server has almost as many files open as it may',
            Severity::High,
            Layer::Kernel,
            'A connection is an open file. What a process may have open is set by its unit or by who started it,'
                .' often 1024, and no configuration of the server tells it. Beyond that accept() and open() fail with'
                .' "Too many open files" (24), and connections wait in the backlog.',
            'A process of PHP-FPM, Redis, MySQL, MariaDB or PostgreSQL has more than 80 % of its limit open.'
                .' nginx has a check of its own, N2.',
            [
                'https://man7.org/linux/man-pages/man5/proc_pid_limits.5.html',
                'https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#Process%20Properties',
            ],
            10,
        );
    }

    public function examine(Facts $facts): array
    {
        $findings = [];
        $unseen = [];
        $fullest = null;

        foreach ($facts->get(ServerProcesses::class)->processes as $process) {
            try {
                $limit = $process->limits()->openFiles();
                $open = $process->openFiles();
                $evidence = new Evidence(
                    "open files of {$process->name()}",
                    $limit === PHP_INT_MAX ? "{$open}, of any number" : "{$open} of {$limit}",
                    "/proc/{$process->pid}/limits and fd",
                );

                if ($open > self::SHARE * $limit) {
                    $findings[] = $this->finding($process, $open, $limit, $evidence);
                }
            } catch (UnableToTell $e) {
                // Who ended meanwhile has no files.
                if ($process->isThere()) {
                    $unseen[$process->program] ??= Finding::unknown($e->getMessage(), $e->command)
                        ->about($process->program);
                }

                continue;
            }

            $fullest = $fullest === null || $open / max(1, $limit) > $fullest[0]
                ? [$open / max(1, $limit), $evidence]
                : $fullest;
        }

        return [
            ...$findings,
            ...array_values($unseen),
            ...($findings === [] && $fullest !== null ? [Finding::pass('they may open more', $fullest[1])] : []),
        ];
    }

    private function finding(ServerProcess $process, int $open, int $limit, Evidence $evidence): Finding
    {
        $more = RaisedOpenFiles::than($limit, $process->limits()->mostOpenFiles());

        return Finding::fail(
            "It has {$open} files open, of {$limit} that it may.",
            [$evidence],
            'The next connections wait or fail although the server is idle.',
            new Fix(
                "Raise it for the process that runs, and for the next one by its unit: LimitNOFILE={$more->wanted} in"
                    .' its section [Service]. Where it still fills up, somebody leaves connections open.',
                [],
                [
                    "sudo prlimit --pid {$process->pid} --nofile={$more->now}",
                    "sudo systemctl edit {$process->program}   # [Service], LimitNOFILE={$more->wanted};"
                        .' by the name of its unit',
                ],
                "sudo prlimit --pid {$process->pid} --nofile={$more->before}, and take the line out of the unit.",
                "grep 'open files' /proc/{$process->pid}/limits",
            ),
        )->about($process->name())->restingOn(Confidence::Observed);
    }
}
