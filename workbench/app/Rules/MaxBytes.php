<?php

declare(strict_types=1);

namespace Workbench\App\Rules;

use Closure;
use Illuminate\Contracts\Validation\ValidationRule;

/**
 * Laravel's `max` counts characters; a VARBINARY column holds bytes.
 */
final readonly class MaxBytes implements ValidationRule
{
    public function __construct(private int $limit) {}

    public function validate(string $attribute, mixed $value, Closure $fail): void
    {
        if (is_string($value) && strlen($value) > $this->limit) {
            $fail("The :attribute field must not be greater than {$this->limit} bytes.");
        }
    }
}
