<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
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
            } catch (FactUnavailable $e) {
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
