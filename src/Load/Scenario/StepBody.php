<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

use Closure;
use Headroom\Load\Template;

/**
 * The request body of a step. Values are escaped as the format of the body demands.
 *
 * @internal
 */
final readonly class StepBody
{
    /** @param Closure(int, array<string, string>): string $render */
    private function __construct(public string $type, private Closure $render) {}

    public static function text(Template $text): self
    {
        return new self(
            'text/plain',
            static fn (int $number, array $values): string => $text->render($number, $values),
        );
    }

    /** @param Template $text JSON with placeholders in its strings */
    public static function json(Template $text): self
    {
        return new self(
            'application/json',
            static fn (int $number, array $values): string
                => $text->render($number, array_map(self::escaped(...), $values)),
        );
    }

    /** @param array<string, Template> $fields */
    public static function form(array $fields): self
    {
        return new self(
            'application/x-www-form-urlencoded',
            static fn (int $number, array $values): string => http_build_query(
                array_map(static fn (Template $field): string => $field->render($number, $values), $fields),
            ),
        );
    }

    /** @param array<string, string> $values */
    public function render(int $number, array $values): string
    {
        return ($this->render)($number, $values);
    }

    private static function escaped(string $value): string
    {
        return substr(
            json_encode(
                $value,
                JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE,
            ),
            1,
            -1,
        );
    }
}
