<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Format;

use Headroom\Collector\Intake\Batch;
use Headroom\Collector\Intake\Json\Members;
use Headroom\Collector\Intake\Json\Text;
use Headroom\Collector\Intake\Limits;
use Headroom\Collector\Intake\Refused;
use Headroom\Collector\Intake\Rejected;
use Headroom\Collector\Intake\Routes;
use Headroom\Collector\Request;

use function in_array;
use function is_string;
use function json_decode;

/**
 * POST /v1/batch and the single calls, as the libraries of Segment, RudderStack and Jitsu send them.
 *
 * @internal
 */
final readonly class Segment implements Format
{
    /** @param ?string $call null: a batch */
    public function __construct(private Members $members, private Limits $limits, private ?string $call = null) {}

    public function read(Request $request, string $body, Batch $batch): void
    {
        if (! in_array($type = MediaType::of($request), ['application/json', 'text/json', 'text/plain', ''], true)) {
            throw Refused::mediaType($type, 'application/json', 'application/json, text/plain');
        }

        $body = Text::withoutMark($body);

        if (Text::first($body) === '') {
            throw Refused::noEvents(
                'The body is empty. Send '.($this->call === null ? '{"batch": [...]}' : 'a message')
                    .' as a Segment library does.',
            );
        }

        $isOfMetrics = $this->call === Routes::METRIC;

        if ($this->call !== null && ! $isOfMetrics) {
            $batch->offer($body, new SegmentMessage($this->members, $this->call));

            return;
        }

        [$messages, $shared] = $this->parts($body, $isOfMetrics ? 'series' : 'batch');
        $reader = new SegmentMessage($this->members, $this->call, $shared);

        foreach (Text::eachItem($messages) as $message) {
            $batch->offer($message, $reader);
        }
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
            foreach (Text::eachMember(Text::withoutMark($body)) as $name => $text) {
                if ($name === 'writeKey') {
                    $key = json_decode($text);

                    return is_string($key) && $key !== '' ? $key : null;
                }

                if (++$members > Limits::MEMBERS) {
                    return null;
                }
            }
        } catch (Refused) {
            // It is refused for this when it is read, once it is known who sends it.
        }

        return null;
    }

    /**
     * @return array{string, array<string, string>} the messages, and what is said once for all of them
     *
     * @throws Refused
     */
    private function parts(string $body, string $list): array
    {
        $messages = null;
        $shared = [];
        $members = 0;

        foreach (Text::eachMember($body) as $name => $text) {
            if (++$members > Limits::MEMBERS) {
                throw Refused::notJson(
                    'The body has more than '.Limits::MEMBERS.' members; {"'.$list.'": [...]} was expected.',
                );
            }

            if ($name === $list) {
                $messages = $messages === null ? $text : throw Refused::duplicateMember($name);

                continue;
            }

            try {
                $this->members->check($text, $this->limits->eventBytes);
            } catch (Rejected $e) {
                throw Refused::notJson("The member '{$name}' beside the batch: {$e->getMessage()}");
            }

            if ($name !== 'writeKey') {
                $shared[$name] = isset($shared[$name]) ? throw Refused::duplicateMember($name) : $text;
            }
        }

        $messages ??= throw Refused::noEvents(
            'The body has no member "'.$list.'". A single message goes to /v1/track, /v1/identify, /v1/page,'
                .' /v1/screen, /v1/group or /v1/alias.',
        );

        return [$messages, $shared];
    }
}
