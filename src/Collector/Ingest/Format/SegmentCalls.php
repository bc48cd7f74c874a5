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
 * POST /v1/batch and the single calls, as the libraries of Segment, RudderStack and Jitsu send them.
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

        $isOfMetrics = $this->call === Router::METRIC;

        if ($this->call !== null && ! $isOfMetrics) {
            yield (new SegmentMessage($this->objects, $this->call))->event($body, $limit);

            return '';
        }

        [$messages, $shared] = $this->parts($body, $isOfMetrics ? 'series' : 'batch');
        $reader = new SegmentMessage($this->objects, $this->call, $shared);

        foreach (JsonSplitter::eachItem($messages) as $message) {
            yield $reader->event($message, $limit);
        }

        return '';
    }

    /**
     * Libraries for browsers can send no header to another origin without asking first: they put the key in the body.
     *
     * @param string $body perhaps JSON
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
            // It is refused for this when it is read, once it is known who sends it.
        }

        return null;
    }

    /**
     * @return array{string, array<string, string>} the messages, and what is said once for all of them
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
