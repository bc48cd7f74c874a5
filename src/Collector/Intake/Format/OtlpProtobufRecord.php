<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Format;

use Headroom\Collector\Intake\Event;
use Headroom\Collector\Intake\EventReader;
use Headroom\Collector\Intake\Protobuf\Malformed;
use Headroom\Collector\Intake\Protobuf\Message;
use Headroom\Collector\Intake\Protobuf\ToJson;
use Headroom\Collector\Intake\Rejected;

use function strlen;

/**
 * @internal
 */
final readonly class OtlpProtobufRecord implements EventReader
{
    public function __construct(private ToJson $json, private OtlpRecord $reader, private int $depth) {}

    public function read(string $text, int $limit): Event
    {
        // Before it is decoded: only unknown fields and values that were written over are longer here than in JSON.
        if (strlen($text) > $limit) {
            throw Rejected::tooLarge(strlen($text), $limit);
        }

        try {
            $record = $this->json->of($text, Message::LogRecord) ?? throw Rejected::tooDeep($this->depth);
        } catch (Malformed $e) {
            throw Rejected::notProtobuf($e->getMessage());
        }

        return $this->reader->read($record, $limit);
    }
}
