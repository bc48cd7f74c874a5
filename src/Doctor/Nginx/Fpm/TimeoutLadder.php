<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\ServerCheck;

/**
 * @internal
 */
final readonly class TimeoutLadder implements ServerCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $pools = $facts->get(FpmPools::class);
        $findings = [];

        foreach ($nginx->facts->passes() as $pass) {
            $read = $pass->readTimeout->milliseconds() ?? throw FactUnavailable::because(
                "fastcgi_read_timeout is not known: {$pass->readTimeout->source}.",
                'sudo nginx -T | grep fastcgi_read_timeout',
            );

            foreach ($pass->targets->addresses() as $address) {
                foreach ($pools->behind(
                    $address,
                    fn (FpmPool $pool): Finding => $this->finding($facts, $pool, $pass, $read),
                ) as $finding) {
                    $subject = "{$finding->subject}, {$nginx->facts->place($pass->said)}";
                    // Two servers of an upstream may be one pool.
                    $findings["{$subject} {$pass->said->where()}"] ??= $finding->about($subject);
                }
            }

            $unsure = $pass->unresolved();

            if ($unsure !== null) {
                $findings[] = Finding::unavailable($unsure)->about($nginx->facts->place($pass->said));
            }
        }

        return array_values($findings);
    }

    /**
     * @param int $read milliseconds
     *
     * @throws FactUnavailable
     */
    private function finding(Facts $facts, FpmPool $pool, FastcgiPass $pass, int $read): Finding
    {
        $end = $pool->seconds('request_terminate_timeout');

        if ($end === 0) {
            return $this->ofScripts($facts, $pool, $pass, $read);
        }

        $evidence = [
            $pool->evidence('request_terminate_timeout'),
            new Evidence('fastcgi_read_timeout', $pass->readTimeout->value() ?? '', $pass->readTimeout->source),
        ];

        return $end * 1000 <= $read ? Finding::pass('PHP ends first', ...$evidence) : Finding::warn(
            "PHP-FPM ends a request after {$end} seconds, and nginx gives up after ".$read / 1000 .'.',
            $evidence,
            'Processes work for clients that are gone, and clients that wait get no process.',
            new Fix(
                'End the request no later than nginx gives up. '
                .'Where requests need longer, raise fastcgi_read_timeout first.',
                RequestTimeouts::of($facts, $pool)->edits(),
                [$pool->reload()],
                'Put the line back and reload PHP-FPM.',
            ),
        );
    }

    /**
     * @param int $read milliseconds
     *
     * @throws FactUnavailable
     */
    private function ofScripts(Facts $facts, FpmPool $pool, FastcgiPass $pass, int $read): Finding
    {
        $limit = ScriptTimeLimit::of($pool, $pass);

        if (! $limit->outlasts($read)) {
            return Finding::skipped(
                "it ends a script that computes for {$limit->seconds} s, and none that waits: check F9 comes first",
            );
        }

        return Finding::warn(
            'nginx gives up after '.$read / 1000 .' seconds, and PHP ends a script '.(
                $limit->seconds <= 0 ? 'never.' : "that computes after {$limit->seconds}, and one that waits never."
            ),
            [
                $limit->evidence,
                $pool->evidence('request_terminate_timeout'),
                new Evidence('fastcgi_read_timeout', $pass->readTimeout->value() ?? '', $pass->readTimeout->source),
            ],
            'The client has its 504, and the process works on for a client that is gone.',
            new Fix(
                'End the request no later than nginx gives up, by the clock: request_terminate_timeout. '
                .'Where requests need longer, raise fastcgi_read_timeout first.',
                RequestTimeouts::of($facts, $pool)->edits(),
                [$pool->reload()],
                'Put the line back and reload PHP-FPM.',
            ),
        );
    }
}
