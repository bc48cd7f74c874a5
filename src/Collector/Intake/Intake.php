<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake;

use Closure;
use Headroom\Collector\Intake\Format\Events;
use Headroom\Collector\Intake\Format\Format;
use Headroom\Collector\Intake\Format\OtlpLogs;
use Headroom\Collector\Intake\Format\Pixel;
use Headroom\Collector\Intake\Format\Segment;
use Headroom\Collector\Intake\Keys\Door;
use Headroom\Collector\Intake\Keys\Key;
use Headroom\Collector\Intake\Keys\KeyFile;
use Headroom\Collector\Intake\Keys\KeyRing;
use Headroom\Collector\Intake\Rate\Rates;
use Headroom\Collector\Intake\Schema\Schemas;
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
final readonly class Intake
{
    private Routes $routes;

    private Inflation $inflation;

    private Answers $answers;

    private Origins $origins;

    private Codec $codec;

    private ?Patterns $types;

    /**
     * @param ?Closure(int<1, max>): string $bytes random ones
     * @param ?Closure(int, int): int $random a number between two, both included
     */
    public function __construct(
        private IntakeSettings $settings,
        private Door $door,
        private Rates $rates,
        private ?Schemas $schemas = null,
        private ?Closure $bytes = null,
        ?Closure $random = null,
    ) {
        $this->routes = new Routes($settings);
        $this->inflation = new Inflation($settings->limits->batchBytes);
        $this->answers = new Answers($random ?? random_int(...));
        $this->origins = new Origins($settings->origins);
        $this->codec = new Codec;
        $this->types = $settings->types === null
            ? null
            : new Patterns([...$settings->types, ...array_map(strval(...), array_keys($settings->schemas))]);
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
        IntakeSettings $settings,
        Clock $clock,
        int $directoryMode = 0700,
        int $fileMode = 0600,
        bool $livesOn = true,
    ): self {
        return new self(
            $settings,
            new Door($settings, new KeyRing(KeyFile::below($root, $clock, $directoryMode, $fileMode))),
            new Rates("{$root}/collector/rates", $clock, $directoryMode, $fileMode, $livesOn),
            $settings->schemas === [] ? null : Schemas::of($settings->schemas),
        );
    }

    /** @param int $now microseconds since the Unix epoch */
    public function decide(Request $request, int $now): Decision
    {
        $request = Routes::normal($request);

        try {
            $decision = $this->decided($request, $now);
        } catch (Refused $e) {
            $decision = new Decision($this->answers->refused($e, $request), refusals: [$e->reason->value => 1]);
        }

        return isset($request->headers['origin']) ? $this->forBrowser($request, $decision) : $decision;
    }

    /** @param ?Request $request where it is still known: OTLP has errors of its own */
    public function notAppended(UnableToAppend $e, ?Request $request = null): Response
    {
        $answer = $this->answers->notAppended($e, $request === null ? null : Routes::normal($request));

        return $request === null
            ? $answer
            : new Response($answer->status, $answer->body, $answer->headers + $this->origins->headers($request));
    }

    /** @throws Refused */
    private function decided(Request $request, int $now): Decision
    {
        if ($request->method === 'OPTIONS') {
            return new Decision($this->options($request));
        }

        $format = $this->routes->of($request);

        return $format === null ? new Decision($this->version()) : $this->taken($request, $format, $now);
    }

    /** @throws Refused */
    private function taken(Request $request, Format $format, int $now): Decision
    {
        if (isset($request->headers['origin']) && ! $this->origins->allow($request->headers['origin'])) {
            throw Refused::origin($request->headers['origin']);
        }

        $isSegment = $format instanceof Segment;
        $inBody = $isSegment ? fn (): ?string => Segment::writeKey($this->body($request)) : null;
        $key = $this->door->admit($request, $now, $inBody);
        $body = $this->body($request);
        $batch = new Batch(
            $this->settings,
            $key,
            new Ids($now, $this->seed($request, $key), $this->bytes ?? random_bytes(...)),
            $this->codec,
            $this->types,
            $this->schemas,
            $now,
        );

        try {
            $format->read($request, $body, $batch);
        } catch (Refused $e) {
            throw $e->ofCompressed(Inflation::codingOf($body));
        }

        $isOtlp = Answers::isOtlp($request);

        if ($batch->size() === 0 && ! $isOtlp) {
            throw Refused::noEvents('There is no event in the body.');
        }

        // Events that are not taken count as well: each is read, and kept in a bucket where the
        // configuration has one for them.
        if ($key !== null && $batch->size() > 0) {
            $this->rates->take($key, $batch->size(), $now);
        }

        $refusal = $isOtlp || $batch->rejected() === 0 || Answers::isForSink($request)
            ? null
            : $this->refusal($request, $batch);

        if ($refusal !== null) {
            $refusal = $refusal->ofCompressed(Inflation::codingOf($body));

            return new Decision(
                $this->answers->refused($refusal, $request),
                rejected: $batch->dead(),
                refusals: $batch->refusals(),
            );
        }

        $count = $batch->accepted();

        if ($count === 0) {
            return new Decision(
                $this->answers->accepted($request, $batch),
                rejected: $batch->dead(),
                refusals: $batch->refusals(),
            );
        }

        $answer = Routes::isPixel($request)
            ? new Response(200, Pixel::GIF, ['Content-Type' => 'image/gif', 'Cache-Control' => 'no-store'])
            : $this->answers->accepted($request, $batch);

        return new Decision(
            $answer,
            $this->settings->bucket,
            $batch->lines(),
            $count,
            $batch->dead(),
            $batch->refusals(),
        );
    }

    /** @throws Refused */
    private function body(Request $request): string
    {
        return $this->inflation->of($request->body, $request->headers['content-encoding'] ?? null);
    }

    private function refusal(Request $request, Batch $batch): ?Refused
    {
        $rejected = $batch->rejected();

        if ($batch->accepted() > 0) {
            return self::isAtomic($request)
                ? Refused::nothing(
                    Code::NotAtomic,
                    422,
                    "{$rejected} of {$batch->size()} events are not right, and the request asks for all or nothing:"
                        .' nothing was kept.',
                    $batch->size(),
                    $batch->errors(),
                )
                : null;
        }

        $codes = array_map(Code::from(...), array_keys($batch->refusals()));
        $statuses = array_values(array_unique(array_map(static fn (Code $code): int => $code->status(), $codes)));

        return Refused::nothing(
            count($codes) === 1 ? $codes[0] : Code::NothingAccepted,
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
     * @throws Refused
     */
    private function seed(Request $request, ?Key $key): ?string
    {
        $given = $request->headers['idempotency-key'] ?? null;

        if ($given === null) {
            // Who signs webhooks sends the same id with each try; without a hash of its own there is no such key.
            $id = $key !== null && $key->hash === '' ? $request->headers['webhook-id'] ?? null : null;

            return $id === null ? null : "{$key->id}\0{$id}";
        }

        $given = trim($given, '"');

        if (preg_match('/\A[\x21-\x7E]{1,'.Limits::IDEMPOTENCY_KEY_BYTES.'}\z/', $given) !== 1) {
            throw Refused::idempotencyKey(Limits::IDEMPOTENCY_KEY_BYTES);
        }

        return "{$key?->id}\0{$given}";
    }

    /** @throws Refused */
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
                'formats' => array_values(array_unique([...Events::SUPPORTED, ...OtlpLogs::SUPPORTED])),
                'encodings' => ['gzip', 'deflate'],
                'limits' => $this->settings->limits->toArray() + ['signature_tolerance' => $this->settings->tolerance],
            ], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES)."\n",
            ['Content-Type' => 'application/json', 'Cache-Control' => 'no-cache'],
        );
    }

    private function forBrowser(Request $request, Decision $decision): Decision
    {
        $answer = $decision->answer;
        $headers = $answer->headers + $this->origins->headers($request);

        return new Decision(
            new Response($answer->status, $answer->body, $headers),
            $decision->bucket,
            $decision->lines,
            $decision->count,
            $decision->rejected,
            $decision->refusals,
        );
    }
}
