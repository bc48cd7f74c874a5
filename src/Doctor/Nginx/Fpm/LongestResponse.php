<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\NotApplicable;

/**
 * How long a server of nginx may take to answer with PHP. nginx gives up after fastcgi_read_timeout, and PHP-FPM may
 * end the request before that.
 *
 * @internal
 */
final readonly class LongestResponse
{
    /**
     * @param int $milliseconds 0: nothing of the server leads to PHP
     * @param int $allowed milliseconds that nginx would wait
     * @param list<Evidence> $evidence
     */
    private function __construct(public int $milliseconds, public int $allowed, public array $evidence) {}

    /** @throws FactUnavailable */
    public static function of(Directive $server, NginxServer $nginx, Facts $facts): self
    {
        $longest = new self(0, 0, []);
        $most = 0;

        foreach ($nginx->facts->passes() as $pass) {
            if (in_array($server, $pass->directive->path(), true)) {
                $one = self::ofPass($pass, $nginx, $facts);
                $most = max($most, $one->allowed);
                $longest = $one->milliseconds > $longest->milliseconds ? $one : $longest;
            }
        }

        return new self($longest->milliseconds, $most, $longest->evidence);
    }

    private static function ofPass(FastcgiPass $pass, NginxServer $nginx, Facts $facts): self
    {
        $allowed = $pass->readTimeout->milliseconds() ?? throw FactUnavailable::because(
            "fastcgi_read_timeout is not known: {$pass->readTimeout->source}.",
            'sudo nginx -T | grep fastcgi_read_timeout',
        );
        $ends = 0;
        $evidence = [$nginx->evidence($pass->readTimeout)];

        foreach ($pass->targets->addresses() as $address) {
            try {
                $pool = $facts->get(FpmPools::class)->listeningAt($address);
                $seconds = $pool?->seconds('request_terminate_timeout') ?? 0;
            } catch (FactUnavailable|NotApplicable) {
                // Without the limit of the pool, nginx waits for all of its own.
                [$pool, $seconds] = [null, 0];
            }

            $ends = max($ends, $seconds > 0 ? min($allowed, 1000 * $seconds) : $allowed);
            array_push($evidence, ...($pool === null ? [] : [$pool->evidence('request_terminate_timeout')]));
        }

        return new self($ends, $allowed, $evidence);
    }
}
