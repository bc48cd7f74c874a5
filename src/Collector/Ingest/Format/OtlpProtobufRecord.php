<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\Event;
use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\Protobuf\JsonConverter;
use Headroom\Collector\Ingest\Protobuf\MalformedProtobuf;
use Headroom\Collector\Ingest\Protobuf\MessageType;

use function strlen;

/**
 * @internal
 */
final readonly class OtlpProtobufRecord implements EventReader
{
    public function __construct(private JsonConverter $json, private OtlpRecord $record, private int $depth) {}

    public function read(string $text, int $limit): Event
    {
        // Checked before decoding: only unknown and overwritten fields are longer here than in JSON.
        if (strlen($text) > $limit) {
            throw EventError::tooLarge(strlen($text), $limit);
        }

        try {
            $record = $this->json->of($text, MessageType::LogRecord) ?? throw EventError::tooDeep($this->depth);
        } catch (MalformedProtobuf $e) {
            throw EventError::notProtobuf($e->getMessage());
        }

        return $this->record->read($record, $limit, $text);
    }
}
