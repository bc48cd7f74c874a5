<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers\Pages;

use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Validation\Rule;

/**
 * Input in the query that is found to be wrong, unless somebody fills it in: 422 and what is wrong with which field.
 */
final class ValidateController
{
    public function __invoke(Request $request): JsonResponse
    {
        return new JsonResponse($request->validate([
            'email' => ['required', 'email', 'max:200'],
            'age' => ['nullable', 'integer', 'between:18,130'],
            'topic' => ['required', Rule::in(['orders', 'returns'])],
            'from' => ['nullable', 'date', 'before:to'],
            'to' => ['nullable', 'date'],
        ]));
    }
}
