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
 * An event as a JSON object. A bare one must have `type`; `id`, `source`, `time`, `subject` and `data` may be there,
 * and default to a new id, the name of the key, the time it was received, and nothing. With `specversion` it is a
 * CloudEvent 1.0 in the JSON format, which must have `id` and `source` as well. Whatever else is in it
 * is kept in `extensions`.
 *
 * The text of `data` is kept as it was sent, so that {} stays {}, 1.0 stays 1.0, and numbers beyond 64 bits keep their
 * digits; only line feeds between values become spaces. A member that is null is one that is not there, but for `data`.
 *
 * @internal
 */
final readonly class JsonEventReader extends EventReader
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

    private const ID = 'source and id together tell one event from another';

    /**
     * @param bool $isCloudEvent whether it must be one
     * @param ?EventShapeCache $envelope remembers how the last ones were written
     */
    public function __construct(
        private JsonObject $objects,
        private bool $isCloudEvent = false,
        private ?EventShapeCache $envelope = null,
    ) {}

    public function read(string $text, int $limit): Event
    {
        return $this->envelope?->read($text, $limit) ?? $this->readWhole($text, $limit);
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

        $this->envelope?->learn($texts);

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
