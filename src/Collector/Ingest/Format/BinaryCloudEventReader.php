<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\ErrorCode;
use Headroom\Collector\Ingest\Event;
use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\FieldRules;
use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Ingest\Json\JsonSplitter;
use Headroom\Spool\Encoding\Codec;

use function array_diff_key;
use function base64_encode;
use function count;
use function json_encode;
use function mb_check_encoding;
use function preg_match;
use function rawurldecode;
use function strlen;

/**
 * Reads the data of a CloudEvent in binary mode: JSON stays JSON, other UTF-8 text becomes a JSON string, and other
 * bytes become base64, with `data_base64: true` among the extensions.
 *
 * @internal
 */
final readonly class BinaryCloudEventReader implements EventReader
{
    private const KNOWN = ['specversion' => 1, 'type' => 1, 'id' => 1, 'source' => 1, 'time' => 1, 'subject' => 1];

    /** @param array<array-key, string> $attributes values of the headers, by name without ce- */
    public function __construct(private JsonObject $objects, private array $attributes, private string $contentType) {}

    public function read(string $text, int $limit): Event
    {
        if (strlen($text) > $limit) {
            throw EventError::tooLarge(strlen($text), $limit);
        }

        $attributes = $this->decoded();

        if (($attributes['specversion'] ?? null) !== '1.0') {
            throw EventError::invalid(
                ErrorCode::UnsupportedSpecVersion,
                '/specversion',
                $attributes['specversion'] ?? null,
                "'1.0'",
            );
        }

        [$data, $isBase64] = $this->data($text, $limit);
        $extensions = array_diff_key($attributes, self::KNOWN)
            + ($this->contentType === '' ? [] : ['datacontenttype' => $this->contentType])
            + ($isBase64 ? ['data_base64' => true] : []);
        $json = $extensions === [] ? null : json_encode((object) $extensions, Codec::FLAGS);

        return new Event(
            FieldRules::type(
                $attributes['type'] ?? throw EventError::missing(ErrorCode::MissingType, 'type', 'the header ce-type'),
            ),
            FieldRules::id(
                $attributes['id'] ?? throw EventError::missing(ErrorCode::MissingId, 'id', 'the header ce-id'),
            ),
            FieldRules::source(
                $attributes['source']
                    ?? throw EventError::missing(ErrorCode::MissingSource, 'source', 'the header ce-source'),
            ),
            isset($attributes['time']) ? FieldRules::time($attributes['time']) : null,
            isset($attributes['subject']) ? FieldRules::subject($attributes['subject']) : null,
            $data,
            $json === false ? throw EventError::notUtf8() : $json,
            $text,
        );
    }

    /**
     * Percent-decodes once, as the HTTP binding of CloudEvents specifies.
     *
     * @return array<array-key, string>
     *
     * @throws EventError
     */
    private function decoded(): array
    {
        if (count($this->attributes) > IngestLimits::MEMBERS) {
            throw EventError::tooManyMembers(IngestLimits::MEMBERS);
        }

        $decoded = [];

        foreach ($this->attributes as $name => $value) {
            $decoded[$name] = rawurldecode($value);

            if (! mb_check_encoding($decoded[$name], 'UTF-8')) {
                throw EventError::notUtf8("/{$name}");
            }
        }

        return $decoded;
    }

    /**
     * @return array{?string, bool}
     *
     * @throws EventError
     */
    private function data(string $body, int $limit): array
    {
        if ($body === '') {
            return [null, false];
        }

        if ($this->contentType === '' || preg_match('~\A[^;]*[/+]json\s*(?:;|\z)~i', $this->contentType) === 1) {
            $this->objects->check($body, $limit);

            return [JsonSplitter::singleLine($body), false];
        }

        $text = mb_check_encoding($body, 'UTF-8') ? json_encode($body, Codec::FLAGS) : false;

        return $text === false || strlen($text) > 2 * $limit
            ? [json_encode(base64_encode($body), Codec::FLAGS | JSON_THROW_ON_ERROR), true]
            : [$text, false];
    }
}
