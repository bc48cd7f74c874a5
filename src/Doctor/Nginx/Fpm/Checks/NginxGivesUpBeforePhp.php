<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm\Checks;

use Headroom\Doctor\Facts;
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
final readonly class NginxGivesUpBeforePhp implements NginxCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $pools = $facts->get(FpmPools::class);
        $findings = [];

        foreach ($nginx->facts->passes() as $pass) {
            $place = $nginx->facts->place($pass->directive);
            $read = $pass->readTimeout->knownMilliseconds();
            $examine = static fn (FpmPool $pool): Finding => self::ofPool($facts, $nginx, $pool, $pass, $read);

            foreach ($pass->targets->addresses() as $address) {
                foreach ($pools->behind($address, $examine) as $finding) {
                    $subject = "{$finding->subject}, {$place}";
                    // Two servers of an upstream may be one pool.
                    $findings["{$subject} {$pass->directive->where()}"] ??= $finding->about($subject);
                }
            }

            $unsure = $pass->unresolved();

            if ($unsure !== null) {
                $findings[] = Finding::unavailable($unsure)->about($place);
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
            $script?->evidence,
            $pool->evidence('request_terminate_timeout'),
            $nginx->evidence($pass->readTimeout),
        ];

        return match (true) {
            $script === null && 1000 * $end <= $read => Finding::pass('PHP ends first', ...$evidence),
            $script === null || $script->outlasts($read) => Finding::warn(
                'nginx gives up after '.$read / 1000 .' seconds, and PHP '
                    .($script?->words() ?? "ends a request after {$end}").'.',
                $evidence,
                new Fix(changes: RequestTimeouts::of($facts, $pool)->edits()),
            ),
            default => Finding::skipped("PHP {$script->words()}: see check F9"),
        };
    }
}
