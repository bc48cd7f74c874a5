<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Nginx\ServerCheck;

/**
 * @internal
 */
final readonly class ShortClientKeepalive implements ServerCheck
{
    private const FEWEST = 100;

    private const SECONDS = 65;

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach (
            ['keepalive_timeout' => $this->longer($facts).'s', 'keepalive_requests' => '1000'] as $name => $better
        ) {
            foreach ($nginx->facts->settings($name) as $setting) {
                $isShort = $name === 'keepalive_timeout'
                    ? $setting->milliseconds() === 0
                    : $setting->number() !== null && $setting->number() < self::FEWEST;

                if ($isShort && $setting->said !== null) {
                    $change = NginxChange::to($setting->said, "{$name} {$better}");
                    $findings[] = Finding::warn(
                        "{$name} is {$setting->value()}.",
                        [new Evidence($name, (string) $setting->value(), $setting->source)],
                        'Pages take some round trips longer, and nginx does more handshakes.',
                        new Fix(
                            "Keep connections of clients: {$name} {$better};",
                            NginxChange::edits($change),
                            [$nginx->reload()],
                            'Put the line back and reload nginx.',
                        ),
                    )->about("{$name} of {$nginx->facts->place($setting->said)}");
                }
            }
        }

        return $findings === [] ? [Finding::pass('connections of clients are kept')] : $findings;
    }

    /** Longer than any proxy here keeps its own connections, which may be to this server (check N21). */
    private function longer(Facts $facts): int
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
