<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Exception;
use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use Headroom\Support\Utf8Cut;

use function strlen;
use function strrpos;
use function substr;

/**
 * One event that is not taken. The others of its request may be.
 *
 * @internal
 */
final class EventError extends Exception implements Permanent
{
    private const MESSAGE_BYTES = 500;

    private const POINTER_BYTES = 250;

    public readonly string $pointer;

    /** The event as the client sent it. */
    public string $text = '';

    /** @param string $pointer to the member that is wrong, as RFC 6901 writes it; empty for the event itself */
    private function __construct(public readonly ErrorCode $reason, string $pointer, string $message)
    {
        // Names and values in them are the sender's, as long as an event may be, and an answer has a hundred of each.
        $this->pointer = strlen($pointer) <= self::POINTER_BYTES
            ? $pointer
            : substr($pointer, 0, (int) strrpos(substr($pointer, 0, self::POINTER_BYTES), '/'));
        parent::__construct(TerminalText::line(
            strlen($message) <= self::MESSAGE_BYTES ? $message : Utf8Cut::cut($message, self::MESSAGE_BYTES).'...',
        ));
    }

    public function withText(string $text): self
    {
        $this->text = $text;

        return $this;
    }

    public static function notJson(string $error): self
    {
        return new self(ErrorCode::NotJson, '', "The event is not JSON ({$error}).");
    }

    public static function notProtobuf(string $error): self
    {
        return new self(ErrorCode::InvalidData, '', "It is no log record in Protocol Buffers ({$error}).");
    }

    public static function notUtf8(string $pointer = ''): self
    {
        return new self(
            ErrorCode::NotUtf8,
            $pointer,
            'The event is not UTF-8. Encode it so, or send bytes as base64 in data_base64.',
        );
    }

    public static function tooDeep(int $limit): self
    {
        return new self(ErrorCode::TooDeep, '', "The event is nested deeper than {$limit} levels.");
    }

    public static function notAnObject(string $seen, string $pointer = ''): self
    {
        return new self(ErrorCode::NotAnObject, $pointer, "An event is a JSON object, this one is {$seen}.");
    }

    public static function duplicateMember(): self
    {
        return new self(
            ErrorCode::DuplicateMember,
            '',
            'The event has two members of the same name, and readers would take either.',
        );
    }

    public static function tooManyMembers(int $limit, string $pointer = ''): self
    {
        return new self(
            ErrorCode::TooManyMembers,
            $pointer,
            "The object has more than {$limit} members. Put what belongs to the event into its data.",
        );
    }

    public static function tooLarge(int $bytes, int $limit): self
    {
        return new self(ErrorCode::EventTooLarge, '', "The event has {$bytes} bytes; {$limit} are the limit.");
    }

    public static function missing(ErrorCode $code, string $member, string $whatItIs): self
    {
        return new self($code, "/{$member}", "The event has no {$member}. It must have one: {$whatItIs}.");
    }

    public static function invalid(ErrorCode $code, string $pointer, mixed $seen, string $allowed): self
    {
        return new self($code, $pointer, 'It is '.self::show($seen).". It must be {$allowed}.");
    }

    public static function unknownType(string $type): self
    {
        return new self(
            ErrorCode::UnknownType,
            '/type',
            "Events of type '".TerminalText::name($type)
                ."' are not known here. Name it in collector.intake.types or give it a schema.",
        );
    }

    public static function typeNotAllowed(string $type, string $key): self
    {
        return new self(
            ErrorCode::TypeNotAllowed,
            '/type',
            "The key '{$key}' may not send events of type '".TerminalText::name($type)."'.",
        );
    }

    public static function schema(string $pointer, string $words): self
    {
        return new self(ErrorCode::SchemaMismatch, $pointer, $words);
    }

    private static function show(mixed $value): string
    {
        return match (true) {
            is_string($value) => strlen($value) > 80
                ? 'a text of '.strlen($value)." bytes that begins with '".TerminalText::name($value, 40)."'"
                : "'".TerminalText::name($value)."'",
            is_bool($value) => $value ? 'true' : 'false',
            is_int($value), is_float($value) => "the number {$value}",
            is_array($value) => array_is_list($value) ? 'an array' : 'an object',
            default => 'null',
        };
    }
}
