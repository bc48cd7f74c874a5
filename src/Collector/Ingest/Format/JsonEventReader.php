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
use function base64_decode;
use function implode;
use function is_string;
use function json_encode;

/**
 * Reads an event from a JSON object. A plain event must have `type`. Its `id`, `source` and `time` default to a new id,
 * the name of the key and the time of receipt; `subject` and `data` are optional. With `specversion` it is a CloudEvent
 * 1.0 in JSON format, which must have `id` and `source` too. All other members become `extensions`.
 *
 * The text of `data` is stored as sent, so {} stays {}, 1.0 stays 1.0, and numbers beyond 64 bits keep their digits;
 * only line feeds between values become spaces. Except for `data`, null is the same as a missing member.
 *
 * @internal
 */
final readonly class JsonEventReader implements EventReader
{
    private const KNOWN = [
        'specversion' => 1,
        'type' => 1,
        'id' => 1,
        'source' => 1,
        'time' => 1,
        'subject' => 1,
        'data' => 1,
        'data_base64' => 1,
    ];

    private const ID = 'source and id together identify an event';

    /**
     * @param bool $isCloudEvent whether the event must be a CloudEvent
     * @param ?EventShapeCache $shapes fast path for known shapes
     */
    public function __construct(
        private JsonObject $objects,
        private bool $isCloudEvent = false,
        private ?EventShapeCache $shapes = null,
    ) {}

    public function read(string $text, int $limit): Event
    {
        return $this->shapes?->read($text, $limit) ?? $this->readWhole($text, $limit);
    }

    /** @throws EventError */
    private function readWhole(string $text, int $limit): Event
    {
        [$values, $texts] = $this->objects->read($text, $limit);
        $isCloudEvent = $this->isCloudEvent || isset($values['specversion']);

        if ($isCloudEvent) {
            self::checkCloudEvent($values);
        }

        $type = FieldRules::type(
            $values['type']
                ?? throw EventError::missing(ErrorCode::MissingType, 'type', 'what happened, such as "order.placed"'),
        );

        $event = new Event(
            $type,
            isset($values['id']) ? FieldRules::id($values['id']) : null,
            isset($values['source']) ? FieldRules::source($values['source']) : null,
            isset($values['time']) ? FieldRules::time($values['time']) : null,
            isset($values['subject']) ? FieldRules::subject($values['subject']) : null,
            isset($values['data_base64'])
                ? self::base64($values, $texts['data_base64'])
                : (isset($texts['data']) ? JsonSplitter::singleLine($texts['data']) : null),
            ($rest = array_diff_key($texts, self::KNOWN)) === [] && ! isset($values['data_base64'])
                ? null
                : self::extensions($rest, isset($values['data_base64'])),
            $text,
        );

        $this->shapes?->learn($texts);

        return $event;
    }

    /**
     * @param array<array-key, mixed> $values
     *
     * @throws EventError
     */
    private static function checkCloudEvent(array $values): void
    {
        if (($values['specversion'] ?? null) !== '1.0') {
            throw EventError::invalid(
                ErrorCode::UnsupportedSpecVersion,
                '/specversion',
                $values['specversion'] ?? null,
                "'1.0'",
            );
        }

        if (! isset($values['id'])) {
            throw EventError::missing(ErrorCode::MissingId, 'id', self::ID);
        }

        if (! isset($values['source'])) {
            throw EventError::missing(ErrorCode::MissingSource, 'source', self::ID);
        }
    }

    /**
     * @param array<array-key, mixed> $values
     *
     * @throws EventError
     */
    private static function base64(array $values, string $text): string
    {
        $value = $values['data_base64'] ?? null;

        if (isset($values['data']) || ! is_string($value) || base64_decode($value, true) === false) {
            throw EventError::invalid(
                ErrorCode::InvalidData,
                '/data_base64',
                $value,
                'base64, and alone: without data',
            );
        }

        return $text;
    }

    /** @param array<array-key, string> $texts by name */
    private static function extensions(array $texts, bool $isBase64): ?string
    {
        $members = [];

        foreach ($texts as $name => $text) {
            if ($text !== 'null') {
                $members[] = json_encode((string) $name, Codec::FLAGS).':'.JsonSplitter::singleLine($text);
            }
        }

        if ($isBase64) {
            $members[] = '"data_base64":true';
        }

        return $members === [] ? null : '{'.implode(',', $members).'}';
    }
}
