<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Sink\DataMapping;
use stdClass;

/**
 * The index template for collector events. The server maps other columns dynamically.
 *
 * @internal
 */
final readonly class Template
{
    /**
     * The priority of the template. It is above the built-in templates (100); you can override it with a higher number.
     */
    private const PRIORITY = 200;

    /**
     * A term has at most 32766 bytes, and a character at most four. The server rejects a document with a longer term.
     */
    private const LONGEST_TERM = 8191;

    /** The maximum depth of a collector event. */
    private const MAX_DEPTH = 64;

    public function __construct(private IndexName $index, private DataMapping $data, private bool $isOpenSearch) {}

    /**
     * @param array<string, mixed> $settings settings of the retention, added to those of the index
     * @param array<string, mixed> $more members next to settings and mappings
     * @return array<string, mixed>
     */
    public function body(array $settings, array $more): array
    {
        $template = [
            ...$more,
            // In the form in which the servers return them: numbers as text.
            'settings' => ['index' => ['refresh_interval' => '10s', ...$settings]],
            'mappings' => [
                'dynamic_templates' => [['texts' => ['match_mapping_type' => 'string', 'mapping' => self::keyword()]]],
                'properties' => $this->properties(),
            ],
        ];

        return [
            'index_patterns' => [$this->index->wildcard()],
            'priority' => self::PRIORITY,
            // A monthly index is a plain index.
            ...$this->index->fixed() === null ? [] : ['data_stream' => new stdClass],
            'template' => $template,
        ];
    }

    /** @return array<string, array<string, mixed>> */
    private function properties(): array
    {
        $names = ['id', 'source', 'type', 'subject', 'key', 'dataschema', 'datacontenttype'];
        $date = ['type' => 'date'];

        return [
            Document::TIMESTAMP => $date,
            ...array_fill_keys($names, self::keyword()),
            'time' => $date,
            'received_at' => $date,
            'data' => match ($this->data) {
                DataMapping::Flattened => $this->flattened(),
                DataMapping::Object => ['type' => 'object', 'dynamic' => 'false'],
                DataMapping::Stored => ['type' => 'object', 'enabled' => false],
            },
            'extensions' => $this->flattened(),
            // Columns of the log channel: an application may log anything.
            'context' => $this->flattened(),
            'extra' => $this->flattened(),
        ];
    }

    /** @return array<string, mixed> */
    private static function keyword(): array
    {
        return ['type' => 'keyword', 'ignore_above' => self::LONGEST_TERM];
    }

    /** @return array<string, mixed> */
    private function flattened(): array
    {
        return $this->isOpenSearch
            ? ['type' => 'flat_object']
            : ['type' => 'flattened', 'ignore_above' => self::LONGEST_TERM, 'depth_limit' => self::MAX_DEPTH];
    }
}
