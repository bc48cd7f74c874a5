<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\ErrorCode;
use Headroom\Collector\Ingest\Event;
use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\FieldRules;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Ingest\Json\JsonSplitter;
use Headroom\Spool\Encoding\Codec;

use function array_diff_key;
use function array_key_exists;
use function array_push;
use function implode;
use function in_array;
use function is_int;
use function json_encode;
use function strlen;

/**
 * Reads one call of a Segment library. The event of a `track` call is the type; other calls have their own name as
 * type. The data is the whole message without the key; messageId, timestamp and userId (or anonymousId) become id, time
 * and subject.
 *
 * @internal
 */
final readonly class SegmentMessage implements EventReader
{
    public const CALLS = ['track', 'identify', 'page', 'screen', 'group', 'alias'];

    /**
     * @param ?string $call from the path; null: the message has it
     * @param array<string, string> $shared JSON of the members that apply to all messages of the batch, by name
     */
    public function __construct(private JsonObject $objects, private ?string $call, private array $shared = []) {}

    public function read(string $text, int $limit): Event
    {
        [$values, $texts] = $this->objects->read($text, $limit);
        $call = $this->call
            ?? $values['type']
            ?? throw EventError::missing(ErrorCode::MissingType, 'type', implode(', ', self::CALLS));

        if (! in_array($call, [...self::CALLS, $this->call], true)) {
            throw EventError::invalid(ErrorCode::InvalidType, '/type', $call, 'one of '.implode(', ', self::CALLS));
        }

        $type = $call === 'track'
            ? FieldRules::type(
                $values['event'] ?? throw EventError::missing(ErrorCode::MissingType, 'event', 'what was tracked'),
                '/event',
            )
            : $call;

        return new Event(
            $type,
            isset($values['messageId']) ? FieldRules::id($values['messageId'], '/messageId') : null,
            null,
            isset($values['timestamp']) ? FieldRules::time($values['timestamp'], '/timestamp') : null,
            self::subject($values),
            // The last argument: no data is assembled for a message that is rejected.
            $this->data($text, $texts, $call, $limit),
            null,
            $text,
        );
    }

    /**
     * @param array<array-key, string> $texts
     *
     * @throws EventError
     */
    private function data(string $text, array $texts, string $call, int $limit): string
    {
        $more = array_diff_key($this->shared, $texts)
            + (array_key_exists('type', $texts) ? [] : ['type' => "\"{$call}\""]);

        if ($more === [] && ! isset($texts['writeKey'])) {
            return JsonSplitter::singleLine($text);
        }

        $parts = [];
        $bytes = 1;

        foreach (array_diff_key($texts, ['writeKey' => 1]) + $more as $name => $member) {
            array_push(
                $parts,
                $parts === [] ? '{' : ',',
                $quoted = (string) json_encode((string) $name, Codec::FLAGS),
                ':',
                $member,
            );
            $bytes += strlen($quoted) + strlen($member) + 2;
        }

        // The shared part counts too, before it is copied: five thousand small messages may share a large context.
        return $bytes <= $limit
            ? JsonSplitter::singleLine(implode('', $parts).'}')
            : throw EventError::tooLarge($bytes, $limit);
    }

    /**
     * @param array<array-key, mixed> $values
     *
     * @throws EventError
     */
    private static function subject(array $values): ?string
    {
        foreach (['userId', 'anonymousId'] as $member) {
            $value = $values[$member] ?? null;

            // Libraries pass on any id of the application, and an empty one for an unknown user.
            if ($value !== null && $value !== '') {
                return FieldRules::subject(is_int($value) ? (string) $value : $value, "/{$member}");
            }
        }

        return null;
    }
}
