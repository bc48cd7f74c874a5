<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Monitoring\MetricsCache;
use Headroom\Spool\Services\SpoolMetrics;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\MetricsText;
use Headroom\Support\PhpRestrictions;
use Illuminate\Http\Response;

/**
 * Serves the metrics of this machine's buffer to Prometheus. It asks no sink, because a database that is down may hang.
 *
 * @internal
 */
final readonly class MetricsController
{
    private const HEADERS = [
        'Content-Type' => MetricsText::CONTENT_TYPE,
        'Cache-Control' => 'no-store',
        'X-Content-Type-Options' => 'nosniff',
        'Content-Security-Policy' => "default-src 'none'; frame-ancestors 'none'",
    ];

    public function __construct(private SpoolServices $spool) {}

    public function __invoke(): Response
    {
        try {
            $text = PhpRestrictions::within($this->text(...));
        } catch (HeadroomException) {
            // The message names paths, and a token gives access to numbers only.
            return $this->unavailable('The buffer cannot be read. Run `spool:health` on this machine.');
        }

        return $text === null
            ? $this->unavailable('Another process has been reading the buffer for 5 seconds.')
            : new Response($text, 200, self::HEADERS);
    }

    /** @throws HeadroomException */
    private function text(): ?string
    {
        $store = $this->spool->store();
        $cache = new MetricsCache("{$store->root}/metrics", $store->permissions, $this->spool->clock());

        return $cache->text(fn (): string
            => (new SpoolMetrics($this->spool))->text($this->spool->statusWithoutSql()));
    }

    private function unavailable(string $reason): Response
    {
        return new Response("# {$reason}\n", 503, [...self::HEADERS, 'Retry-After' => '5']);
    }
}
