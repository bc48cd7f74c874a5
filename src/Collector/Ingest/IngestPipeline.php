<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Closure;
use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\Authentication\ApiKeyCache;
use Headroom\Collector\Ingest\Authentication\ApiKeyStore;
use Headroom\Collector\Ingest\Authentication\Authenticator;
use Headroom\Collector\Ingest\Format\EventFormat;
use Headroom\Collector\Ingest\Format\JsonEvents;
use Headroom\Collector\Ingest\Format\OtlpLogs;
use Headroom\Collector\Ingest\Format\Pixel;
use Headroom\Collector\Ingest\Format\SegmentCalls;
use Headroom\Collector\Ingest\RateLimit\RateLimiter;
use Headroom\Collector\Ingest\Schema\SchemaValidator;
use Headroom\Collector\IngestResult;
use Headroom\Collector\Request;
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
use function trim;

/**
 * Bytes in, decision out: the same under the loop, in the fast lane and in a Laravel route. What a Decision has events
 * for must be in the buffer before its answer is sent; when it does not get there, notAppended() is the answer.
 *
 * One of them serves a process for as long as it lives. It holds what it has read of the keys and of their rates, and
 * no event.
 *
 * @internal
 */
final readonly class IngestPipeline
{
    private Router $routes;

    private ContentDecoder $inflation;

    private ResponseFactory $answers;

    private CorsPolicy $origins;

    private Codec $codec;

    private ?WildcardNames $types;

    /**
     * @param ?Closure(int<1, max>): string $bytes random ones
     * @param ?Closure(int, int): int $random a number between two, both included
     */
    public function __construct(
        private IngestSettings $settings,
        private Authenticator $door,
        private RateLimiter $rates,
        private ?SchemaValidator $schemas = null,
        private ?Closure $bytes = null,
        ?Closure $random = null,
    ) {
        $this->routes = new Router($settings);
        $this->inflation = new ContentDecoder($settings->limits->batchBytes);
        $this->answers = new ResponseFactory($random ?? random_int(...));
        $this->origins = new CorsPolicy($settings->origins);
        $this->codec = new Codec;
        $this->types = $settings->types === null
            ? null
            : new WildcardNames([...$settings->types, ...array_map(strval(...), array_keys($settings->schemas))]);
    }

    /**
     * @param string $root of the buffer, which keys and rates lie below
     * @param int $directoryMode mode bits of what is made there
     * @param int $fileMode mode bits
     * @param bool $livesOn whether this process serves more than one request
     *
     * @throws InvalidConfig a schema that is none, or no library to check it with
     */
    public static function below(
        string $root,
        IngestSettings $settings,
        Clock $clock,
        int $directoryMode = 0700,
        int $fileMode = 0600,
        bool $livesOn = true,
    ): self {
        return new self(
            $settings,
            new Authenticator($settings, new ApiKeyCache(ApiKeyStore::below($root, $clock, $directoryMode, $fileMode))),
            new RateLimiter("{$root}/collector/rates", $clock, $directoryMode, $fileMode, $livesOn),
            $settings->schemas === [] ? null : SchemaValidator::of($settings->schemas),
        );
    }

    /** @param int $now microseconds since the Unix epoch */
    public function decide(Request $request, int $now): IngestResult
    {
        $request = Router::normal($request);

        try {
            $decision = $this->decided($request, $now);
        } catch (RequestError $e) {
            $decision = new IngestResult($this->answers->refused($e, $request), refusals: [$e->reason->value => 1]);
        }

        return isset($request->headers['origin']) ? $this->forBrowser($request, $decision) : $decision;
    }

    /** @param ?Request $request where it is still known: OTLP has errors of its own */
    public function notAppended(UnableToAppend $e, ?Request $request = null): Response
    {
        $answer = $this->answers->notAppended($e, $request === null ? null : Router::normal($request));

        return $request === null
            ? $answer
            : new Response($answer->status, $answer->body, $answer->headers + $this->origins->headers($request));
    }

    /** @throws RequestError */
    private function decided(Request $request, int $now): IngestResult
    {
        if ($request->method === 'OPTIONS') {
            return new IngestResult($this->options($request));
        }

        $format = $this->routes->of($request);

        return $format === null ? new IngestResult($this->version()) : $this->taken($request, $format, $now);
    }

    /** @throws RequestError */
    private function taken(Request $request, EventFormat $format, int $now): IngestResult
    {
        if (isset($request->headers['origin']) && ! $this->origins->allow($request->headers['origin'])) {
            throw RequestError::origin($request->headers['origin']);
        }

        $isSegment = $format instanceof SegmentCalls;
        $inBody = $isSegment ? fn (): ?string => SegmentCalls::writeKey($this->body($request)) : null;
        $key = $this->door->admit($request, $now, $inBody);
        $body = $this->body($request);
        $batch = new Batch(
            $this->settings,
            $key,
            new EventIdGenerator($now, $this->seed($request, $key), $this->bytes ?? random_bytes(...)),
            $this->codec,
            $this->types,
            $this->schemas,
            $now,
        );

        try {
            $format->read($request, $body, $batch);
        } catch (RequestError $e) {
            throw $e->ofCompressed(ContentDecoder::codingOf($body));
        }

        $isOtlp = ResponseFactory::isOtlp($request);

        if ($batch->size() === 0 && ! $isOtlp) {
            throw RequestError::noEvents('There is no event in the body.');
        }

        // Events that are not taken count as well: each is read, and kept in a bucket where the
        // configuration has one for them.
        if ($key !== null && $batch->size() > 0) {
            $this->rates->take($key, $batch->size(), $now);
        }

        $refusal = $isOtlp || $batch->rejected() === 0 || ResponseFactory::isForSink($request)
            ? null
            : $this->refusal($request, $batch);

        if ($refusal !== null) {
            $refusal = $refusal->ofCompressed(ContentDecoder::codingOf($body));

            return new IngestResult(
                $this->answers->refused($refusal, $request),
                rejected: $batch->dead(),
                refusals: $batch->refusals(),
            );
        }

        $count = $batch->accepted();

        if ($count === 0) {
            return new IngestResult(
                $this->answers->accepted($request, $batch),
                rejected: $batch->dead(),
                refusals: $batch->refusals(),
            );
        }

        $answer = Router::isPixel($request)
            ? new Response(200, Pixel::GIF, ['Content-Type' => 'image/gif', 'Cache-Control' => 'no-store'])
            : $this->answers->accepted($request, $batch);

        return new IngestResult(
            $answer,
            $this->settings->bucket,
            $batch->lines(),
            $count,
            $batch->dead(),
            $batch->refusals(),
        );
    }

    /** @throws RequestError */
    private function body(Request $request): string
    {
        return $this->inflation->of($request->body, $request->headers['content-encoding'] ?? null);
    }

    private function refusal(Request $request, Batch $batch): ?RequestError
    {
        $rejected = $batch->rejected();

        if ($batch->accepted() > 0) {
            return self::isAtomic($request)
                ? RequestError::nothing(
                    ErrorCode::NotAtomic,
                    422,
                    "{$rejected} of {$batch->size()} events are not right, and the request asks for all or nothing:"
                        .' nothing was kept.',
                    $batch->size(),
                    $batch->errors(),
                )
                : null;
        }

        $codes = array_map(ErrorCode::from(...), array_keys($batch->refusals()));
        $statuses = array_values(array_unique(array_map(static fn (ErrorCode $code): int => $code->status(), $codes)));

        return RequestError::nothing(
            count($codes) === 1 ? $codes[0] : ErrorCode::NothingAccepted,
            count($codes) === 1 ? $codes[0]->status() : (count($statuses) === 1 && $statuses[0] === 400 ? 400 : 422),
            $rejected === 1
                ? $batch->errors()[0]['message']
                : "None of the {$rejected} events is right. The first: {$batch->errors()[0]['message']}",
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
     * @return ?string null: the request does not say that it may come again
     *
     * @throws RequestError
     */
    private function seed(Request $request, ?ApiKey $key): ?string
    {
        $given = $request->headers['idempotency-key'] ?? null;

        if ($given === null) {
            // Who signs webhooks sends the same id with each try; without a hash of its own there is no such key.
            $id = $key !== null && $key->hash === '' ? $request->headers['webhook-id'] ?? null : null;

            return $id === null ? null : "{$key->id}\0{$id}";
        }

        $given = trim($given, '"');

        if (preg_match('/\A[\x21-\x7E]{1,'.IngestLimits::IDEMPOTENCY_KEY_BYTES.'}\z/', $given) !== 1) {
            throw RequestError::idempotencyKey(IngestLimits::IDEMPOTENCY_KEY_BYTES);
        }

        return "{$key?->id}\0{$given}";
    }

    /** @throws RequestError */
    private function options(Request $request): Response
    {
        $methods = $request->path === '*' ? ['GET', 'HEAD', 'POST', 'OPTIONS'] : $this->routes->methods($request->path);
        $allow = ['Allow' => implode(', ', $methods)];

        // CloudEvents' HTTP webhook 1.0.2, 4.1; told from a preflight by this header.
        if (isset($request->headers['webhook-request-origin'])) {
            $asker = $request->headers['webhook-request-origin'];
            $isAllowed = preg_match('/\A[\x21-\x7E]{1,255}\z/', $asker) === 1 && $this->origins->allow($asker);

            return new Response(
                200,
                '',
                $allow
                    + ($isAllowed
                        ? ['WebHook-Allowed-Origin' => $asker]
                            + (isset($request->headers['webhook-request-rate']) ? ['WebHook-Allowed-Rate' => '*'] : [])
                        : []),
            );
        }

        return new Response(
            204,
            '',
            isset($request->headers['access-control-request-method'])
                ? $allow + $this->origins->preflight($request, $methods)
                : $allow,
        );
    }

    private function version(): Response
    {
        return new Response(
            200,
            json_encode([
                'api' => 'v1',
                'paths' => $this->routes->paths(),
                'formats' => array_values(array_unique([...JsonEvents::SUPPORTED, ...OtlpLogs::SUPPORTED])),
                'encodings' => ['gzip', 'deflate'],
                'limits' => $this->settings->limits->toArray() + ['signature_tolerance' => $this->settings->tolerance],
            ], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES)."\n",
            ['Content-Type' => 'application/json', 'Cache-Control' => 'no-cache'],
        );
    }

    private function forBrowser(Request $request, IngestResult $decision): IngestResult
    {
        $answer = $decision->answer;
        $headers = $answer->headers + $this->origins->headers($request);

        return new IngestResult(
            new Response($answer->status, $answer->body, $headers),
            $decision->bucket,
            $decision->lines,
            $decision->count,
            $decision->rejected,
            $decision->refusals,
        );
    }
}
