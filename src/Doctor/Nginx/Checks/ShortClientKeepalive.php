<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;

/**
 * @internal
 */
final readonly class ShortClientKeepalive implements NginxCheck
{
    private const FEWEST = 100;

    /** Advised. */
    private const SECONDS = 65;

    private const REQUESTS = '1000';

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $shortest = ['keepalive_timeout' => 1, 'keepalive_requests' => self::FEWEST];
        $advised = ['keepalive_timeout' => self::longer($facts).'s', 'keepalive_requests' => self::REQUESTS];
        $findings = [];

        foreach ($shortest as $name => $least) {
            foreach ($nginx->facts->settings($name) as $setting) {
                $value = $name === 'keepalive_timeout' ? $setting->milliseconds() : $setting->number();
                $change = NginxChange::ofSetting($setting, "{$name} {$advised[$name]}");

                if ($value !== null && $value < $least && $setting->directive !== null && $change !== null) {
                    $findings[] = Finding::warn(
                        "{$name} is {$setting->value()}.",
                        [$nginx->evidence($setting)],
                        $nginx->fix([$change]),
                    )->about("{$name} of {$nginx->facts->place($setting->directive)}");
                }
            }
        }

        return $findings === [] ? [Finding::pass('connections of clients are kept')] : $findings;
    }

    /** Longer than any proxy here keeps connections, which may be connections to this server (check N21). */
    private static function longer(Facts $facts): int
    {
        $seconds = self::SECONDS;

        foreach ($facts->get(NginxServers::class)->known as $nginx) {
            foreach ($nginx->facts->proxies() as $proxy) {
                $keeps = $proxy->upstream?->keepaliveTimeout->milliseconds();
                $seconds = $keeps === null ? $seconds : max($seconds, intdiv($keeps, 1000) + 5);
            }
        }

        return $seconds;
    }
}
