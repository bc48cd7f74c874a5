<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Closure;
use Generator;
use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\Authentication\ApiKeyCache;
use Headroom\Collector\Ingest\Authentication\ApiKeyStore;
use Headroom\Collector\Ingest\Authentication\Authenticator;
use Headroom\Collector\Ingest\Format\JsonEvents;
use Headroom\Collector\Ingest\Format\OtlpLogs;
use Headroom\Collector\Ingest\Format\SegmentCalls;
use Headroom\Collector\Ingest\RateLimit\RateLimiter;
use Headroom\Collector\Ingest\Schema\SchemaValidator;
use Headroom\Collector\IngestResult;
use Headroom\Collector\Request;
use Headroom\Collector\RequestHandler;
use Headroom\Collector\Response;
use Headroom\Core\Clock;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\InvalidConfig;

use function array_keys;
use function array_map;
use function array_unique;
use function array_values;
use function count;
use function implode;
use function json_encode;
use function preg_match;
use function random_bytes;
use function random_int;
use function strlen;
use function trim;

/**
 * Turns a request into events and a response. The event loop, PHP-FPM and a Laravel route share this class.
 *
 * One instance serves a process for its whole life. It caches API keys and the leases of RateLimiter,
 * and holds no event.
 *
 * @internal
 */
final readonly class IngestPipeline implements RequestHandler
{
    private Router $router;

    private ContentDecoder $contentDecoder;

    private ResponseFactory $responses;

    private CorsPolicy $cors;

    private Codec $codec;

    private ?WildcardNames $types;

    /**
     * @param ?Closure(int<1, max>): string $randomBytes
     * @param ?Closure(int, int): int $randomInt between two numbers, both included
     */
    public function __construct(
        private IngestSettings $settings,
        private Authenticator $authenticator,
        private RateLimiter $rateLimiter,
        private ?SchemaValidator $schemas = null,
        private ?Closure $randomBytes = null,
        ?Closure $randomInt = null,
    ) {
        $this->router = new Router($settings);
        $this->contentDecoder = new ContentDecoder($settings->limits->batchBytes);
        $this->responses = new ResponseFactory($randomInt ?? random_int(...));
        $this->cors = new CorsPolicy($settings->origins);
        $this->codec = new Codec;
        $this->types = $settings->types === null
            ? null
            : new WildcardNames([...$settings->types, ...array_map(strval(...), array_keys($settings->schemas))]);
    }

    /**
     * @param string $root directory of the buffer, which holds the API keys and the rate counts
     * @param int $directoryMode mode bits of new directories
     * @param int $fileMode mode bits of new files
     * @param bool $isLongLived whether this process serves more than one request
     *
     * @throws InvalidConfig if a schema is invalid, or the library that checks it is missing
     */
    public static function below(
        string $root,
        IngestSettings $settings,
        Clock $clock,
        int $directoryMode = 0700,
        int $fileMode = 0600,
        bool $isLongLived = true,
    ): self {
        return new self(
            $settings,
            new Authenticator($settings, new ApiKeyCache(ApiKeyStore::below($root, $clock, $directoryMode, $fileMode))),
            new RateLimiter("{$root}/collector/rates", $clock, $directoryMode, $fileMode, $isLongLived),
            $settings->schemas === [] ? null : SchemaValidator::of($settings->schemas),
        );
    }

    public function buckets(): array
    {
        return $this->settings->buckets();
    }

    public function ingest(Request $request, int $now): IngestResult
    {
        $request = Router::normalized($request);

        try {
            $result = $this->result($request, $now);
        } catch (RequestError $error) {
            $result = new IngestResult(
                $this->responses->rejected($error, $request),
                rejections: [$error->reason->value => 1],
            );
        }

        return isset($request->headers['origin']) ? $result->withHeaders($this->cors->headers($request)) : $result;
    }

    public function appendFailed(UnableToAppend $failure, Request $request): Response
    {
        $request = Router::normalized($request);

        return $this->responses->notStored($failure, $request)->withHeaders($this->cors->headers($request));
    }

    /** @throws RequestError */
    private function result(Request $request, int $now): IngestResult
    {
        if ($request->method === 'OPTIONS') {
            return new IngestResult($this->options($request));
        }

        $format = $this->router->format($request);

        if ($format === null) {
            return new IngestResult($this->version());
        }

        if (isset($request->headers['origin']) && ! $this->cors->allows($request->headers['origin'])) {
            throw RequestError::origin($request->headers['origin']);
        }

        $keyInBody = $format instanceof SegmentCalls
            ? fn (): ?string => SegmentCalls::writeKey($this->body($request))
            : null;
        $key = $this->authenticator->authenticate($request, $now, $keyInBody);
        $body = $this->body($request);
        $batch = new Batch(
            $this->settings,
            $key,
            new EventIdGenerator($now, $this->idSeed($request, $key), $this->randomBytes ?? random_bytes(...)),
            $this->codec,
            $this->types,
            $this->schemas,
            $now,
        );
        $ignored = self::fill($batch, $format->events($request, $body, $batch->limit), $body);
        $isOtlp = ResponseFactory::isOtlp($request);

        if ($batch->size() === 0 && ! $isOtlp) {
            throw RequestError::noEvents('The body has no event.');
        }

        // Rejected events count too: the collector parses each one, and may store it as a dead letter.
        if ($key !== null && $key->rate !== null && $batch->size() > 0) {
            $this->rateLimiter->acquire($key, $batch->size(), $now);
        }

        $error = $isOtlp || $batch->rejected() === 0 || ResponseFactory::isFromSink($request)
            ? null
            : $this->batchError($request, $batch);
        // A body that is compressed after decoding was sent without Content-Encoding, or was compressed twice.
        $response = $error === null
            ? $this->responses->accepted($request, $batch, $ignored)
            : $this->responses->rejected($error->ofCompressed(ContentDecoder::codingOf($body)), $request);
        $count = $error === null ? $batch->accepted() : 0;

        return new IngestResult(
            $response,
            $count === 0 ? '' : $this->settings->bucket,
            $count === 0 ? '' : $batch->lines(),
            $count,
            $batch->deadLetters(),
            $batch->rejections(),
        );
    }

    /**
     * @param Generator<int, Event|EventError, void, string> $events
     * @return string names of fields that were ignored, for the response
     *
     * @throws RequestError
     */
    private static function fill(Batch $batch, Generator $events, string $body): string
    {
        try {
            foreach ($events as $event) {
                $batch->add($event);
            }

            return $events->getReturn();
        } catch (RequestError $error) {
            throw $error->ofCompressed(ContentDecoder::codingOf($body));
        }
    }

    /** @throws RequestError */
    private function body(Request $request): string
    {
        $limit = $this->settings->limits->batchBytes;

        if (strlen($request->body) > $limit) {
            throw RequestError::bodyTooLarge($limit);
        }

        return isset($request->headers['content-encoding'])
            ? $this->contentDecoder->decode($request->body, $request->headers['content-encoding'])
            : $request->body;
    }

    private function batchError(Request $request, Batch $batch): ?RequestError
    {
        $rejected = $batch->rejected();

        if ($batch->accepted() > 0) {
            return self::isAtomic($request)
                ? RequestError::nothingStored(
                    ErrorCode::NotAtomic,
                    422,
                    "{$rejected} of {$batch->size()} events are invalid, and the request asks for all or nothing. The"
                        .' collector stored none.',
                    $batch->size(),
                    $batch->errors(),
                )
                : null;
        }

        $codes = array_map(ErrorCode::from(...), array_keys($batch->rejections()));
        $statuses = array_values(array_unique(array_map(static fn (ErrorCode $code): int => $code->status(), $codes)));

        return RequestError::nothingStored(
            count($codes) === 1 ? $codes[0] : ErrorCode::NothingAccepted,
            count($codes) === 1 ? $codes[0]->status() : (count($statuses) === 1 && $statuses[0] === 400 ? 400 : 422),
            $rejected === 1
                ? $batch->errors()[0]['message']
                : "All {$rejected} events are invalid. The first: {$batch->errors()[0]['message']}",
            $rejected,
            $batch->errors(),
        );
    }

    private static function isAtomic(Request $request): bool
    {
        return preg_match('/(?:\A|,)\s*atomic\s*(?:[,;]|\z)/i', $request->headers['prefer'] ?? '') === 1
            || ($request->query !== '' && preg_match('/(?:\A|&)atomic=1(?:&|\z)/', $request->query) === 1);
    }

    /**
     * @return ?string an equal seed gives a retry the event ids of the first try;
     *     null if the client does not mark retries
     *
     * @throws RequestError
     */
    private function idSeed(Request $request, ?ApiKey $key): ?string
    {
        $idempotencyKey = $request->headers['idempotency-key'] ?? null;

        if ($idempotencyKey === null) {
            // A Standard Webhooks sender repeats the id with each retry. An ApiKey with hash '' is such a sender.
            $id = $key !== null && $key->hash === '' ? $request->headers['webhook-id'] ?? null : null;

            return $id === null ? null : "{$key->id}\0{$id}";
        }

        $idempotencyKey = trim($idempotencyKey, '"');

        if (preg_match('/\A[\x21-\x7E]{1,'.IngestLimits::IDEMPOTENCY_KEY_BYTES.'}\z/', $idempotencyKey) !== 1) {
            throw RequestError::idempotencyKey(IngestLimits::IDEMPOTENCY_KEY_BYTES);
        }

        return "{$key?->id}\0{$idempotencyKey}";
    }

    /** @throws RequestError */
    private function options(Request $request): Response
    {
        $methods = $request->path === '*' ? ['GET', 'HEAD', 'POST', 'OPTIONS'] : $this->router->methods($request->path);
        $allow = ['Allow' => implode(', ', $methods)];

        // CloudEvents HTTP webhook 1.0.2, section 4.1. A CORS preflight does not have this header.
        if (isset($request->headers['webhook-request-origin'])) {
            $origin = $request->headers['webhook-request-origin'];
            $isAllowed = preg_match('/\A[\x21-\x7E]{1,255}\z/', $origin) === 1 && $this->cors->allows($origin);

            return new Response(
                200,
                '',
                $allow
                    + ($isAllowed
                        ? ['WebHook-Allowed-Origin' => $origin]
                            + (isset($request->headers['webhook-request-rate']) ? ['WebHook-Allowed-Rate' => '*'] : [])
                        : []),
            );
        }

        return new Response(
            204,
            '',
            isset($request->headers['access-control-request-method'])
                ? $allow + $this->cors->preflight($request, $methods)
                : $allow,
        );
    }

    private function version(): Response
    {
        return new Response(
            200,
            json_encode([
                'api' => 'v1',
                'paths' => $this->router->paths(),
                'formats' => array_values(array_unique([...JsonEvents::SUPPORTED, ...OtlpLogs::SUPPORTED])),
                'encodings' => ['gzip', 'deflate'],
                'limits' => $this->settings->limits->toArray() + ['signature_tolerance' => $this->settings->tolerance],
            ], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES)."\n",
            ['Content-Type' => 'application/json', 'Cache-Control' => 'no-cache'],
        );
    }
}
