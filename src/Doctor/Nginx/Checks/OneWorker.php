<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\Fpm\IdleConnections;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class OneWorker implements NginxCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $cpus = $nginx->facts->cpus;
        $said = $nginx->facts->workerProcesses();
        $workers = $nginx->facts->workers() ?? throw FactUnavailable::because(
            "worker_processes is '{$said->value()}'.",
            'sudo nginx -T | grep worker_processes',
        );
        $evidence = [
            new Evidence('worker_processes', $said->value() ?? '', $said->source),
            new Evidence('CPUs', (string) $cpus, '/proc/self/status, and the quota of its control group'),
        ];

        if ($workers > 1 || $cpus < 2) {
            return [Finding::pass('nginx has more than one worker, or the machine has one CPU', ...$evidence)];
        }

        $change = $said->said === null
            ? NginxChange::outside($nginx->facts->config, 'worker_processes auto')
            : NginxChange::to($said->said, 'worker_processes auto');
        $starving = IdleConnections::starving($facts, $nginx, $cpus);

        return [Finding::warn(
            "nginx has one worker, and {$cpus} CPUs.",
            $evidence,
            'One CPU is at its limit while the others wait.',
            new Fix(
                'Start a worker for each CPU: worker_processes auto; outside of all blocks of nginx.conf.'.(
                    $starving->isEmpty()
                        ? ''
                        : ' Each worker keeps its own connections to PHP-FPM, and together they would hold all'
                            .' processes of a pool (check N5): keep none.'
                ),
                NginxChange::edits($change, ...$starving->removed()),
                [$nginx->reload(), ...$starving->reloads()],
            ),
        )];
    }
}
