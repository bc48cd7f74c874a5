<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\FieldRules;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Ingest\Json\JsonSplitter;
use Headroom\Collector\Ingest\RequestError;

use function str_contains;
use function strlen;

/**
 * The resource that the records of several scopes share. It is parsed once, on the first record.
 *
 * @internal
 */
final class OtlpResource
{
    private const SERVICE = 'service.name';

    private bool $isParsed = false;

    private ?string $service = null;

    /** @param string $text JSON */
    public function __construct(private readonly JsonObject $objects, public readonly string $text) {}

    /** @return ?string its service.name */
    public function service(): ?string
    {
        if (! $this->isParsed) {
            $this->isParsed = true;
            $this->service = $this->parse();
        }

        return $this->service;
    }

    private function parse(): ?string
    {
        if (! str_contains($this->text, self::SERVICE)) {
            return null;
        }

        try {
            foreach (JsonSplitter::eachMember($this->text) as $name => $attributes) {
                foreach ($name === 'attributes' ? JsonSplitter::eachItem($attributes) : [] as $attribute) {
                    // Parsing an attribute takes ten times as long as skipping it.
                    if (! str_contains($attribute, self::SERVICE)) {
                        continue;
                    }

                    [$values, $texts] = $this->objects->read($attribute, strlen($attribute));

                    if (($values['key'] ?? null) === self::SERVICE) {
                        return FieldRules::source(
                            $this->objects->read($texts['value'] ?? '', strlen($attribute))[0]['stringValue'] ?? null,
                        );
                    }
                }
            }
        } catch (RequestError|EventError) {
            // The resource is stored as sent, without a source.
        }

        return null;
    }
}
