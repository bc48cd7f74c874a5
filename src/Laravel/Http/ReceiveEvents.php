<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http;

use Headroom\Collector\CollectorConfig;
use Headroom\Collector\Ingest\IngestPipeline;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\Request as CollectorRequest;
use Headroom\Collector\Sapi\SapiIngest;
use Headroom\Collector\Sapi\SapiRequest;
use Headroom\Collector\Server\Metrics\SapiCounters;
use Headroom\Core\SystemClock;
use Headroom\Spool\Buffer;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Store\Writer;
use Headroom\Support\InvalidConfig;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Http\Request;
use Illuminate\Log\LogManager;
use Illuminate\Routing\Route;

/**
 * Handles one request of a collector client.
 *
 * @internal
 */
final readonly class ReceiveEvents
{
    public function __construct(private SpoolServices $spool, private Repository $config, private LogManager $log) {}

    /** @throws InvalidConfig the client gets a 500 and retries */
    public function __invoke(Request $request): IntakeResponse
    {
        $config = CollectorConfig::fromArray($this->options());
        $sent = SapiRequest::withBody(
            $request->server->all(),
            static fn (): string => $request->getContent(),
            $config->limits()->message,
        )->request('index.php');

        if (! $sent instanceof CollectorRequest) {
            return IntakeResponse::of($sent);
        }

        $ingest = $this->ingest($config);
        $route = ($request->getRouteResolver())();
        $path = $route instanceof Route ? self::below($sent->path, $route->uri()) : $sent->path;
        $ip = (string) $request->ip();
        [$response, $deadLetters] = $ingest->handle(
            new CollectorRequest($sent->method, $path, $sent->query, $sent->headers, $sent->body, $ip),
        );
        $ingest->storeDeadLetters($deadLetters);

        return IntakeResponse::of($response);
    }

    private function ingest(CollectorConfig $config): SapiIngest
    {
        $clock = new SystemClock;
        $spool = $this->spool->config();
        $settings = IngestSettings::fromOptions($config->intake());
        $this->spool->settings()->refuseFilters($settings->buckets());
        $pipeline = IngestPipeline::below(
            $spool->path,
            $settings,
            $clock,
            $spool->directoryMode(),
            $spool->fileMode(),
            false,
        );
        // The pipeline reports a full buffer to the client and ignores the overflow policy, because a client can retry.
        $buffer = Buffer::onDisk(
            $this->spool->settings(),
            remote: fn (string $bucket): Writer => $this->spool->writerFactory()->redisWriter($bucket),
            late: fn (string $bucket, string $oldest)
                => $this->spool->writerFactory()->noteLate($bucket, $oldest),
        );

        return new SapiIngest(
            $pipeline,
            $buffer,
            $clock,
            fn (string $message) => $this->log->warning("headroom: {$message}"),
            new SapiCounters("{$spool->path}/collector/".SapiCounters::DIRECTORY,
                $spool->directoryMode(),
                $spool->fileMode(), ),
        );
    }

    /** @return array<array-key, mixed> */
    private function options(): array
    {
        // Read here and not merged at boot, so that other requests do not load the file.
        $config = $this->config->get('headroom') ?? require dirname(__DIR__, 3).'/config/headroom.php';

        return is_array($config) && is_array($config['collector'] ?? null) ? $config['collector'] : [];
    }

    /** @param string $uri URI of the route: its prefix, and a parameter for the rest of the path */
    private static function below(string $path, string $uri): string
    {
        $prefix = '/'.ltrim(substr($uri, 0, (int) strrpos($uri, '/')), '/');

        if ($prefix === '/' || ! str_starts_with("{$path}/", "{$prefix}/")) {
            return $path;
        }

        return $path === $prefix ? '/' : substr($path, strlen($prefix));
    }
}
