<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Charts;

use Headroom\Charts\ChartResponse;
use Headroom\Charts\EventCharts;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Report\WebPage;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\InvalidConfig;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Http\Request;
use Illuminate\Http\Response;

/**
 * Serves the page of event charts, its data and its assets.
 *
 * @internal
 */
final readonly class ChartController
{
    private Clock $clock;

    public function __construct(private Repository $config, private SpoolServices $spool)
    {
        $this->clock = new SystemClock;
    }

    public function page(Request $request): Response
    {
        // The base URL is right also in a subdirectory of the web server and behind a trusted proxy.
        $base = rtrim($request->getBaseUrl().$request->getPathInfo(), '/');
        [$document, $headers] = WebPage::charts()->document(['base' => $base]);

        return new Response($document, 200, $headers);
    }

    public function data(Request $request): Response
    {
        try {
            $answer = $this->charts()->answer($request->query->all());
        } catch (InvalidConfig $e) {
            $answer = ChartResponse::problem($e);
        }

        return new Response(
            $answer->body,
            $answer->status,
            ['Content-Type' => $answer->type, 'Cache-Control' => 'no-store', 'X-Content-Type-Options' => 'nosniff'],
        );
    }

    public function asset(Request $request, string $name): Response
    {
        $asset = WebPage::charts()->asset($name, (string) $request->getQueryString());

        return $asset === null ? new Response('', 404) : new Response($asset[0], 200, $asset[1]);
    }

    /** @throws InvalidConfig */
    private function charts(): EventCharts
    {
        $settings = ChartSettings::fromArray((array) $this->config->get('headroom.charts', []));
        $bucket = $this->spool->config()->bucket($settings->bucket);

        return $bucket?->sink === 'elasticsearch'
            ? EventCharts::fromOptions($bucket->options, $settings->actions, $this->clock)
            : throw InvalidConfig::notAllowed(
                'headroom.charts.bucket',
                $settings->bucket,
                "a bucket of config/spool.php with the sink 'elasticsearch'",
            );
    }
}
