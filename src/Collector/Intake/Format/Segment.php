<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Format;

use Headroom\Collector\Intake\Batch;
use Headroom\Collector\Intake\Json\Members;
use Headroom\Collector\Intake\Json\Text;
use Headroom\Collector\Intake\Limits;
use Headroom\Collector\Intake\Refused;
use Headroom\Collector\Intake\Rejected;
use Headroom\Collector\Request;

use function in_array;

/**
 * POST /v1/batch and the single calls, as the libraries of Segment, RudderStack and Jitsu send them.
 *
 * @internal
 */
final readonly class Segment implements Format
{
    /** Said once for all messages. */
    private const SHARED = ['context', 'integrations', 'sentAt'];

    /** @param ?string $call null: a batch */
    public function __construct(private Members $members, private Limits $limits, private ?string $call = null) {}

    public function read(Request $request, string $body, Batch $batch): void
    {
        if (! in_array($type = MediaType::of($request), ['application/json', 'text/json', 'text/plain', ''], true)) {
            throw Refused::mediaType($type, 'application/json');
        }

        if (Text::first($body) === '') {
            throw Refused::noEvents('The body is empty. Send '.($this->call === null ? '{"batch": [...]}' : 'a message').' as a Segment library does.');
        }

        if ($this->call !== null) {
            $batch->offer($body, new SegmentMessage($this->members, $this->call));

            return;
        }

        [$messages, $shared] = $this->parts($body);
        $reader = new SegmentMessage($this->members, null, $shared);

        foreach (Text::eachItem($messages) as $message) {
            $batch->offer($message, $reader);
        }
    }

    /**
     * @return array{string, array<string, string>}
     *
     * @throws Refused
     */
    private function parts(string $body): array
    {
        $messages = null;
        $shared = [];
        $members = 0;

        foreach (Text::eachMember($body) as $name => $text) {
            if (++$members > Limits::MEMBERS) {
                throw Refused::notJson('The body has more than '.Limits::MEMBERS.' members; {"batch": [...]} is what was expected.');
            }

            if ($name === 'batch') {
                $messages = $text;

                continue;
            }

            try {
                $this->members->check($text, $this->limits->eventBytes);
            } catch (Rejected $e) {
                throw Refused::notJson("The member '{$name}' beside the batch: {$e->getMessage()}");
            }

            if (in_array($name, self::SHARED, true)) {
                $shared[$name] = $text;
            }
        }

        return [$messages ?? throw Refused::noEvents('The body has no member "batch". A single message goes to /v1/track, /v1/identify, /v1/page, /v1/screen, /v1/group or /v1/alias.'), $shared];
    }
}
