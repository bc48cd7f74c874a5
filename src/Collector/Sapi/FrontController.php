<?php

declare(strict_types=1);

namespace Headroom\Collector\Sapi;

use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\IngestPipeline;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\Request;
use Headroom\Collector\Response;
use Headroom\Collector\Server\Metrics\SapiCounters;
use Headroom\Core\SystemClock;
use Headroom\Http\MessageLimits as HttpLimits;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Buffer;

use function error_log;
use function fastcgi_finish_request;
use function function_exists;
use function header;
use function header_remove;
use function http_response_code;
use function is_string;
use function strlen;

/**
 * Serves one request for the published front controller from the compiled configuration. The compiled file holds the
 * classes of a typical request, so PHP opens no other file of the package for it.
 *
 * @internal
 *
 * @phpstan-import-type Data from CompiledIngest
 */
final readonly class FrontController
{
    /**
     * @param Data $compiled
     * @param array<array-key, mixed> $server $_SERVER
     * @param string $script file name of the front controller
     */
    public static function serve(array $compiled, array $server, string $script): void
    {
        $received = SapiRequest::ofThisProcess($server, new HttpLimits(bodyBytes: $compiled['body_bytes']))
            ->request($script);

        if (! $received instanceof Request) {
            self::counters($compiled)->add(['headroom_http_requests_total{code="'.$received->status.'"}' => 1]);
            self::send($received, '');

            return;
        }

        $ingest = self::ingest($compiled);
        [$response, $deadLetters] = $ingest->handle($received);
        self::send($response, $received->method);

        if ($deadLetters !== null) {
            if (function_exists('fastcgi_finish_request')) {
                fastcgi_finish_request();
            }

            $ingest->storeDeadLetters($deadLetters);
        }
    }

    /** @param Data $compiled */
    private static function ingest(array $compiled): SapiIngest
    {
        $clock = new SystemClock;
        $settings = new IngestSettings(...$compiled['intake'], limits: new IngestLimits(...$compiled['limits']));
        $spool = AppendConfig::fromArray($compiled['spool']);
        [$directoryMode, $fileMode] = $compiled['modes'];
        $pipeline = IngestPipeline::below($spool->path, $settings, $clock, $directoryMode, $fileMode, false);

        return new SapiIngest($pipeline, Buffer::onDisk($spool), $clock, static function (string $message): void {
            error_log("headroom: {$message}");
        }, self::counters($compiled));
    }

    /** @param Data $compiled */
    private static function counters(array $compiled): SapiCounters
    {
        $path = $compiled['spool']['path'] ?? null;

        return new SapiCounters(
            (is_string($path) ? $path : '').'/collector/'.SapiCounters::DIRECTORY,
            ...$compiled['modes'],
        );
    }

    private static function send(Response $response, string $method): void
    {
        http_response_code($response->status);
        header_remove('X-Powered-By');

        foreach ($response->headers as $name => $value) {
            header("{$name}: {$value}");
        }

        if ($response->status === 204 || $response->status === 304) {
            return;
        }

        header('Content-Length: '.strlen($response->body));

        if ($method !== 'HEAD') {
            echo $response->body;
        }
    }
}
