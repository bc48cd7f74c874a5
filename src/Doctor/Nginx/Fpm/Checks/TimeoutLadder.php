<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Fpm\RequestTimeouts;
use Headroom\Doctor\Nginx\Fpm\ScriptTimeLimit;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class TimeoutLadder implements NginxCheck
{
    private const LONGER = ' If requests need longer, raise fastcgi_read_timeout first.';

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
                    static fn (FpmPool $pool): Finding => self::ofPool($facts, $nginx, $pool, $pass, $read),
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

    /** @param int $read milliseconds */
    private static function ofPool(
        Facts $facts,
        NginxServer $nginx,
        FpmPool $pool,
        FastcgiPass $pass,
        int $read,
    ): Finding {
        $end = $pool->seconds('request_terminate_timeout');
        $script = $end === 0 ? ScriptTimeLimit::of($pool, $pass) : null;
        $evidence = [
            ...($script === null ? [] : [$script->evidence]),
            $pool->evidence('request_terminate_timeout'),
            $nginx->evidence($pass->readTimeout),
        ];
        $timeouts = RequestTimeouts::of($facts, $pool);

        return match (true) {
            $script === null && 1000 * $end <= $read => Finding::pass('PHP ends first', ...$evidence),
            $script === null => Finding::warn(
                "PHP-FPM ends a request after {$end} seconds, and nginx gives up after ".$read / 1000 .'.',
                $evidence,
                'Processes work for clients that are gone, and waiting clients get no process.',
                new Fix('End the request no later than nginx gives up.'.self::LONGER, $timeouts->edits()),
            ),
            $script->outlasts($read) => Finding::warn(
                'nginx gives up after '.$read / 1000 .' seconds, and PHP '.($script->seconds <= 0
                    ? 'never ends a script.'
                    : "ends a script after {$script->seconds} seconds of CPU time, and never one that waits."),
                $evidence,
                'The client gets a 504, and the process still works on its request.',
                new Fix(
                    'End the request no later than nginx gives up, by the clock: request_terminate_timeout.'
                        .self::LONGER,
                    $timeouts->edits(),
                ),
            ),
            default => Finding::skipped(
                "PHP ends a script after {$script->seconds} s of CPU time, and never one that waits: see check F9",
            ),
        };
    }
}
