<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Format;

use Headroom\Collector\Intake\Json\Members;
use Headroom\Collector\Intake\Json\Text;
use Headroom\Collector\Intake\Limits;
use Headroom\Collector\Intake\Refused;
use Headroom\Collector\Intake\Rejected;
use Headroom\Collector\Intake\Word;

use function strlen;

/**
 * What the records of many scopes share. It is read once, and only where there is a record.
 *
 * @internal
 */
final class OtlpResource
{
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
        $left = Limits::MEMBERS;

        try {
            foreach (Text::eachMember($this->text) as $name => $attributes) {
                foreach ($name === 'attributes' ? Text::eachItem($attributes) : [] as $attribute) {
                    // Each takes longer to read than to send, and SDKs allow 128.
                    if (--$left < 0) {
                        return null;
                    }

                    [$values, $texts] = $this->members->of($attribute, strlen($attribute));

                    if (($values['key'] ?? null) === 'service.name') {
                        return Word::source($this->members->of($texts['value'] ?? '', strlen($attribute))[0]['stringValue'] ?? null);
                    }
                }
            }
        } catch (Refused|Rejected) {
            // It is stored as it is, and names no source.
        }

        return null;
    }
}
