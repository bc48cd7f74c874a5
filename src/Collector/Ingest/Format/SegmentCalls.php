<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Generator;
use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Ingest\Json\JsonSplitter;
use Headroom\Collector\Ingest\RequestError;
use Headroom\Collector\Ingest\Router;
use Headroom\Collector\Request;

use function in_array;
use function is_string;
use function json_decode;

/**
 * POST /v1/batch and the single calls of the libraries of Segment, RudderStack and Jitsu.
 *
 * @internal
 */
final readonly class SegmentCalls implements EventFormat
{
    /** @param ?string $call null: a batch */
    public function __construct(
        private JsonObject $objects,
        private IngestLimits $limits,
        private ?string $call = null,
    ) {}

    public function events(Request $request, string $body, int $limit): Generator
    {
        if (! in_array($type = MediaType::of($request), ['application/json', 'text/json', 'text/plain', ''], true)) {
            throw RequestError::mediaType($type, 'application/json', 'application/json, text/plain');
        }

        $body = JsonSplitter::withoutByteOrderMark($body);

        if (JsonSplitter::firstCharacter($body) === '') {
            throw RequestError::noEvents(
                'The body is empty. Send '.($this->call === null ? '{"batch": [...]}' : 'a message')
                    .' as a Segment library does.',
            );
        }

        $isMetrics = $this->call === Router::METRIC;

        if ($this->call !== null && ! $isMetrics) {
            yield EventOrError::of(new SegmentMessage($this->objects, $this->call), $body, $limit);

            return '';
        }

        [$messages, $shared] = $this->parts($body, $isMetrics ? 'series' : 'batch');
        $reader = new SegmentMessage($this->objects, $this->call, $shared);

        foreach (JsonSplitter::eachItem($messages) as $message) {
            yield EventOrError::of($reader, $message, $limit);
        }

        return '';
    }

    /**
     * Browser libraries put the key into the body, because a header to another origin needs a preflight request.
     *
     * @param string $body not validated yet
     */
    public static function writeKey(string $body): ?string
    {
        $members = 0;

        try {
            foreach (JsonSplitter::eachMember(JsonSplitter::withoutByteOrderMark($body)) as $name => $text) {
                if ($name === 'writeKey') {
                    $key = json_decode($text);

                    return is_string($key) && $key !== '' ? $key : null;
                }

                if (++$members > IngestLimits::MEMBERS) {
                    return null;
                }
            }
        } catch (RequestError) {
            // The format rejects it after authentication.
        }

        return null;
    }

    /**
     * @return array{string, array<string, string>} the messages, and the members that apply to all of them
     *
     * @throws RequestError
     */
    private function parts(string $body, string $list): array
    {
        $messages = null;
        $shared = [];
        $members = 0;

        foreach (JsonSplitter::eachMember($body) as $name => $text) {
            if (++$members > IngestLimits::MEMBERS) {
                throw RequestError::notJson(
                    'The body has more than '.IngestLimits::MEMBERS.' members; {"'.$list.'": [...]} was expected.',
                );
            }

            if ($name === $list) {
                $messages = $messages === null ? $text : throw RequestError::duplicateMember($name);

                continue;
            }

            try {
                $this->objects->check($text, $this->limits->eventBytes);
            } catch (EventError $e) {
                throw RequestError::notJson("The member '{$name}' beside the batch: {$e->getMessage()}");
            }

            if ($name !== 'writeKey') {
                $shared[$name] = isset($shared[$name]) ? throw RequestError::duplicateMember($name) : $text;
            }
        }

        $messages ??= throw RequestError::noEvents(
            'The body has no member "'.$list.'". A single message goes to /v1/track, /v1/identify, /v1/page,'
                .' /v1/screen, /v1/group or /v1/alias.',
        );

        return [$messages, $shared];
    }
}
