<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\Fpm\KeepaliveStarvesPool;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\ServerCheck;

/**
 * @internal
 */
final readonly class OneWorker implements ServerCheck
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
            return [Finding::pass('its workers are as many as can be', ...$evidence)];
        }

        $text = 'worker_processes auto';
        $change = $said->said === null
            ? NginxChange::outside($nginx->facts->config, $text)
            : NginxChange::to($said->said, $text);

        $starved = KeepaliveStarvesPool::changesFor($facts, $nginx, $cpus);

        return [Finding::warn(
            "nginx has one worker, and {$cpus} CPUs.",
            $evidence,
            'One CPU is at its limit while the others wait.',
            new Fix(
                'Let it have one for each CPU: worker_processes auto; outside of all blocks of nginx.conf.'.(
                    $starved === []
                        ? ''
                        : ' Each keeps connections to PHP-FPM of its own, which would be more than its pool has'
                            .' processes for (check N5): keep none.'
                ),
                NginxChange::edits($change, ...$starved),
                [$nginx->reload()],
                'Put the line back and reload nginx.',
            ),
        )];
    }
}
