<?php

declare(strict_types=1);

// Functions and constants of PHP 8.6, with the signatures of the language.

if (! defined('ARRAY_FILTER_USE_VALUE')) {
    define('ARRAY_FILTER_USE_VALUE', 0);
}

if (! function_exists('clamp')) {
    function clamp(mixed $value, mixed $min, mixed $max): mixed
    {
        if ($max < $min) {
            throw new ValueError('clamp(): Argument #2 ($min) must be smaller than or equal to argument #3 ($max)');
        }

        return $value > $max ? $max : ($value < $min ? $min : $value);
    }
}
