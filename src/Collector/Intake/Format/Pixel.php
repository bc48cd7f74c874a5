<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Format;

use Headroom\Collector\Intake\Batch;
use Headroom\Collector\Intake\Code;
use Headroom\Collector\Intake\Json\Members;
use Headroom\Collector\Intake\Limits;
use Headroom\Collector\Intake\Refused;
use Headroom\Collector\Request;
use Headroom\Core\Attempt;
use Headroom\Spool\Codec;

use function array_diff_key;
use function array_intersect_key;
use function is_string;
use function json_encode;
use function parse_str;
use function substr_count;

/**
 * GET /v1/p.gif: an event as a query, for pages and mails without scripts. `type` and the others of a bare event are what
 * they are, `data` is JSON; all other parameters become members of the data where there is no `data`.
 *
 * @internal
 */
final readonly class Pixel implements Format
{
    /** One transparent pixel. */
    public const GIF = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xFF\xFF\xFF\x21\xF9\x04\x01\x00\x00\x00\x00\x2C\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00\x3B";

    private const MEMBERS = ['type' => 1, 'id' => 1, 'source' => 1, 'time' => 1, 'subject' => 1];

    /** Not part of what happened. */
    private const OTHERS = ['data' => 1, 'access_token' => 1, 'writeKey' => 1];

    public function __construct(private Members $members) {}

    public function read(Request $request, string $body, Batch $batch): void
    {
        // parse_str() stops at max_input_vars with a warning, which frameworks throw.
        if (substr_count($request->query, '&') >= Limits::MEMBERS) {
            throw Refused::nothing(Code::TooManyMembers, Code::TooManyMembers->status(), 'The query has more than '.Limits::MEMBERS.' parameters. Send data as JSON in one of them.', 1, []);
        }

        $given = [];
        Attempt::run(static function () use ($request, &$given): void {
            parse_str($request->query, $given);
        });
        $data = $given['data'] ?? null;
        $rest = array_diff_key($given, self::MEMBERS, self::OTHERS);
        $event = json_encode((object) array_intersect_key($given, self::MEMBERS), Codec::FLAGS | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR);
        $text = is_string($data) ? $data : ($rest === [] ? null : json_encode((object) $rest, Codec::FLAGS | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR));

        $batch->offer(self::joined((string) $event, (string) $text), new PlainEvent($this->members));
    }

    private static function joined(string $event, string $data): string
    {
        return match (true) {
            $data === '' => $event,
            $event === '{}' => "{\"data\":{$data}}",
            default => substr($event, 0, -1).",\"data\":{$data}}",
        };
    }
}
