<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class ShortClientKeepalive implements Check
{
    private const FEWEST = 100;

    private const SECONDS = 65;

    public function rule(): Rule
    {
        return new Rule(
            'N8',
            'Clients have to connect anew again and again',
            Severity::Low,
            Layer::Nginx,
            'A browser that has to open a new connection pays a round trip, and two or three more for TLS, before its'
                .' request is sent. nginx keeps connections of clients for keepalive_timeout, and closes each after'
                .' keepalive_requests.',
            'keepalive_timeout is 0, or keepalive_requests is below 100, in a server or location.',
            ['https://nginx.org/en/docs/http/ngx_http_core_module.html#keepalive_requests'],
            2,
        );
    }

    public function examine(Facts $facts): array
    {
        $nginx = $facts->get(NginxServer::class);
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
                            'headroom doctor --only=N8',
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
