<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Format;

use Headroom\Collector\Intake\Json\Members;
use Headroom\Collector\Intake\Json\Text;
use Headroom\Collector\Intake\Refused;
use Headroom\Collector\Intake\Rejected;
use Headroom\Collector\Intake\Word;

use function str_contains;
use function strlen;

/**
 * What the records of many scopes share. It is read once, and only where there is a record.
 *
 * @internal
 */
final class OtlpResource
{
    private const SERVICE = 'service.name';

    private bool $isRead = false;

    private ?string $service = null;

    /** @param string $text JSON */
    public function __construct(private readonly Members $members, public readonly string $text) {}

    /** @return ?string its service.name */
    public function service(): ?string
    {
        if (! $this->isRead) {
            $this->isRead = true;
            $this->service = $this->named();
        }

        return $this->service;
    }

    private function named(): ?string
    {
        if (! str_contains($this->text, self::SERVICE)) {
            return null;
        }

        try {
            foreach (Text::eachMember($this->text) as $name => $attributes) {
                foreach ($name === 'attributes' ? Text::eachItem($attributes) : [] as $attribute) {
                    // Reading each takes ten times as long as passing over it.
                    if (! str_contains($attribute, self::SERVICE)) {
                        continue;
                    }

                    [$values, $texts] = $this->members->of($attribute, strlen($attribute));

                    if (($values['key'] ?? null) === self::SERVICE) {
                        return Word::source(
                            $this->members->of($texts['value'] ?? '', strlen($attribute))[0]['stringValue'] ?? null,
                        );
                    }
                }
            }
        } catch (Refused|Rejected) {
            // It is stored as it is, and names no source.
        }

        return null;
    }
}
