<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Format;

use Headroom\Collector\Intake\Code;
use Headroom\Collector\Intake\Event;
use Headroom\Collector\Intake\EventReader;
use Headroom\Collector\Intake\Json\Members;
use Headroom\Collector\Intake\Json\Text;
use Headroom\Collector\Intake\Limits;
use Headroom\Collector\Intake\Rejected;
use Headroom\Collector\Intake\Word;
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
 * The data of a CloudEvent in binary mode: JSON stays JSON, other text becomes a JSON text, and whatever is not UTF-8
 * becomes base64, with `data_base64: true` among the extensions.
 *
 * @internal
 */
final readonly class BinaryData implements EventReader
{
    private const KNOWN = ['specversion' => 1, 'type' => 1, 'id' => 1, 'source' => 1, 'time' => 1, 'subject' => 1];

    /** @param array<array-key, string> $attributes as the headers have them, by name without ce- */
    public function __construct(private Members $members, private array $attributes, private string $contentType) {}

    public function read(string $text, int $limit): Event
    {
        if (strlen($text) > $limit) {
            throw Rejected::tooLarge(strlen($text), $limit);
        }

        $attributes = $this->decoded();

        if (($attributes['specversion'] ?? null) !== '1.0') {
            throw Rejected::invalid(
                Code::UnsupportedSpecVersion,
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
            Word::type($attributes['type'] ?? throw Rejected::missing(Code::MissingType, 'type', 'the header ce-type')),
            Word::id($attributes['id'] ?? throw Rejected::missing(Code::MissingId, 'id', 'the header ce-id')),
            Word::source(
                $attributes['source'] ?? throw Rejected::missing(Code::MissingSource, 'source', 'the header ce-source'),
            ),
            isset($attributes['time']) ? Word::time($attributes['time']) : null,
            isset($attributes['subject']) ? Word::subject($attributes['subject']) : null,
            $data,
            $json === false ? throw Rejected::notUtf8() : $json,
            $text,
        );
    }

    /**
     * Percent-decoded once, as the HTTP binding says.
     *
     * @return array<array-key, string>
     *
     * @throws Rejected
     */
    private function decoded(): array
    {
        if (count($this->attributes) > Limits::MEMBERS) {
            throw Rejected::tooManyMembers(Limits::MEMBERS);
        }

        $decoded = [];

        foreach ($this->attributes as $name => $value) {
            $decoded[$name] = rawurldecode($value);

            if (! mb_check_encoding($decoded[$name], 'UTF-8')) {
                throw Rejected::notUtf8("/{$name}");
            }
        }

        return $decoded;
    }

    /**
     * @return array{?string, bool}
     *
     * @throws Rejected
     */
    private function data(string $body, int $limit): array
    {
        if ($body === '') {
            return [null, false];
        }

        if ($this->contentType === '' || preg_match('~\A[^;]*[/+]json\s*(?:;|\z)~i', $this->contentType) === 1) {
            $this->members->check($body, $limit);

            return [Text::line($body), false];
        }

        $text = mb_check_encoding($body, 'UTF-8') ? json_encode($body, Codec::FLAGS) : false;

        return $text === false || strlen($text) > 2 * $limit
            ? [json_encode(base64_encode($body), Codec::FLAGS | JSON_THROW_ON_ERROR), true]
            : [$text, false];
    }
}
