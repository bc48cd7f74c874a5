<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Collector\Problem;
use Headroom\Collector\Request;
use Headroom\Collector\Response;

use function str_ends_with;
use function str_starts_with;
use function trim;

/**
 * GET /livez, /readyz and, on the admin listener, /metrics.
 *
 * @internal
 */
final readonly class HealthEndpoints
{
    /** @param ?Closure(): string $metrics null: this listener does not serve them */
    public function __construct(private ReadinessCheck $readiness, private ?Closure $metrics) {}

    public function respond(Request $request): ?Response
    {
        $path = $request->path;

        // Some health checkers append a slash.
        if (str_ends_with($path, '/') || str_starts_with($path, '//')) {
            $path = '/'.trim($path, '/');
        }

        if ($path !== '/livez' && $path !== '/readyz' && ($path !== '/metrics' || $this->metrics === null)) {
            return null;
        }

        if ($request->method !== 'GET' && $request->method !== 'HEAD') {
            return Problem::response(405, 'method_not_allowed', "{$path} accepts only GET.", ['Allow' => 'GET, HEAD']);
        }

        return match ($path) {
            '/livez' => $this->text("ok\n"),
            '/readyz' => $this->readiness(),
            default => new Response(200, $this->metrics === null ? '' : ($this->metrics)(), [
                'Content-Type' => 'text/plain; version=0.0.4; charset=utf-8',
                'Cache-Control' => 'no-store',
            ]),
        };
    }

    private function readiness(): Response
    {
        $reason = $this->readiness->reasonNotReady($this->metrics !== null);
        $delivery = $this->readiness->delivery()->value;
        $headers = ['Retry-After' => '5', 'Cache-Control' => 'no-store'];

        return $reason === null
            ? $this->text("ok\ndelivery: {$delivery}\n")
            : Problem::response(503, 'not_ready', $reason, $headers, ['delivery' => $delivery]);
    }

    private function text(string $text): Response
    {
        return new Response(200, $text, ['Content-Type' => 'text/plain; charset=utf-8', 'Cache-Control' => 'no-store']);
    }
}
