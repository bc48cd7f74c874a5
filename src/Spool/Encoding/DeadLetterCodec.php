<?php

declare(strict_types=1);

namespace Headroom\Spool\Encoding;

use Headroom\Core\Position;
use Headroom\Spool\Store\DeadLetter;
use InvalidArgumentException;
use JsonException;

/**
 * Encodes a dead letter as the JSON text that a store keeps, and decodes it; docs/spool-format.md, "Dead letters".
 *
 * @internal
 */
final readonly class DeadLetterCodec
{
    /** A frame has at most 8 MiB, and JSON may escape one byte with six. */
    public const MAX_BYTES = 67_108_864;

    public static function encode(DeadLetter $letter): string
    {
        $isText = mb_check_encoding($letter->line, 'UTF-8');

        return json_encode([
            'format' => 1,
            'position' => $letter->position->toString(),
            'id' => $letter->id,
            'accepted_at' => $letter->acceptedAt,
            'died_at' => $letter->diedAt,
            'sink' => $letter->sink,
            'reason' => mb_scrub($letter->reason, 'UTF-8'),
            $isText ? 'line' : 'line_base64' => $isText ? $letter->line : base64_encode($letter->line),
        ], JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRETTY_PRINT);
    }

    /** @throws InvalidArgumentException */
    public static function decode(string $json): DeadLetter
    {
        try {
            $data = json_decode($json, true, 4, JSON_THROW_ON_ERROR);
        } catch (JsonException $e) {
            throw new InvalidArgumentException($e->getMessage());
        }

        $data = is_array($data) ? $data : [];
        $text = static fn (string $key): string => is_string($data[$key] ?? null)
            ? $data[$key]
            : throw new InvalidArgumentException("it has no text '{$key}'");
        $number = static fn (string $key): int => is_int($data[$key] ?? null)
            ? $data[$key]
            : throw new InvalidArgumentException("it has no number '{$key}'");

        return new DeadLetter(
            Position::fromString($text('position')),
            $text('id'),
            $number('accepted_at'),
            $number('died_at'),
            $text('sink'),
            $text('reason'),
            isset($data['line_base64']) ? (string) base64_decode($text('line_base64'), true) : $text('line'),
        );
    }
}
