<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Generator;
use Headroom\Collector\Ingest\ErrorCode;
use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Ingest\RequestError;
use Headroom\Collector\Request;
use Headroom\Spool\Encoding\Codec;

use function array_diff_key;
use function array_intersect_key;
use function array_map;
use function count;
use function explode;
use function is_string;
use function json_encode;
use function substr_count;
use function urldecode;

/**
 * GET /v1/p.gif: an event as a query string, for pages and mails without scripts. `type` and the other fields of a
 * plain event have their meaning, `data` is JSON. Without `data`, all other parameters become members of the data.
 *
 * @internal
 */
final readonly class TrackingPixel implements EventFormat
{
    /** A transparent image of one pixel. */
    public const GIF = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xFF\xFF\xFF\x21\xF9\x04\x01\x00\x00\x00\x00"
        ."\x2C\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00\x3B";

    private const FIELDS = ['type' => 1, 'id' => 1, 'source' => 1, 'time' => 1, 'subject' => 1];

    /** Parameters that are not part of the data. */
    private const RESERVED = ['data' => 1, 'access_token' => 1, 'writeKey' => 1];

    public function __construct(private JsonObject $objects) {}

    public function events(Request $request, string $body, int $limit): Generator
    {
        if (substr_count($request->query, '&') >= IngestLimits::MEMBERS) {
            throw RequestError::nothingStored(
                ErrorCode::TooManyMembers,
                ErrorCode::TooManyMembers->status(),
                'The query has more than '.IngestLimits::MEMBERS.' parameters. Send data as JSON in one of them.',
                1,
                [],
            );
        }

        $parameters = self::parameters($request->query);
        $data = $parameters['data'] ?? '';
        $rest = array_diff_key($parameters, self::FIELDS, self::RESERVED);
        $event = array_intersect_key($parameters, self::FIELDS) + ($data === '' ? [] : $rest);
        $data = $data === '' && $rest !== [] ? self::json((object) $rest) : $data;

        $text = self::joined(self::json((object) $event), is_string($data) ? $data : self::json($data));

        yield EventOrError::of(new JsonEventReader($this->objects), $text, $limit);

        return '';
    }

    /**
     * parse_str() drops the first of two values, makes one name of 'a.b' and 'a_b', and stops at max_input_vars.
     *
     * @return array<array-key, string|list<string>> by name, as sent
     */
    private static function parameters(string $query): array
    {
        $values = [];

        foreach (explode('&', $query) as $parameter) {
            if ($parameter !== '') {
                [$name, $value] = explode('=', $parameter, 2) + [1 => ''];
                $values[urldecode($name)][] = urldecode($value);
            }
        }

        return array_map(static fn (array $all): string|array => count($all) === 1 ? $all[0] : $all, $values);
    }

    /** @param object|list<string> $values */
    private static function json(object|array $values): string
    {
        $flags = Codec::FLAGS | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR;

        return (string) json_encode($values, $flags);
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
