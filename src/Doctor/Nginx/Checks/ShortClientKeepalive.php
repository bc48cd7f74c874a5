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
        $findings = [];

        foreach (
            [
                'keepalive_timeout' => self::longer($facts).'s',
                'keepalive_requests' => self::REQUESTS,
            ] as $name => $better
        ) {
            foreach ($nginx->facts->settings($name) as $setting) {
                $isShort = $name === 'keepalive_timeout'
                    ? $setting->milliseconds() === 0
                    : $setting->number() !== null && $setting->number() < self::FEWEST;

                if ($isShort && $setting->said !== null) {
                    $findings[] = Finding::warn(
                        "{$name} is {$setting->value()}.",
                        [$nginx->evidence($setting)],
                        'Pages take some round trips longer, and nginx does more handshakes.',
                        $nginx->fix(
                            "Keep connections of clients: {$name} {$better};",
                            NginxChange::to($setting->said, "{$name} {$better}"),
                        ),
                    )->about("{$name} of {$nginx->facts->place($setting->said)}");
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
