<?php

declare(strict_types=1);

namespace Workbench\App\Http\Resources;

use Illuminate\Http\Request;
use Illuminate\Http\Resources\Json\JsonResource;
use Illuminate\Support\Str;

/**
 * A product as the API shows it.
 */
final class ProductResource extends JsonResource
{
    /** @return array<string, mixed> */
    public function toArray(Request $request): array
    {
        return [
            'id' => $this->resource['id'],
            'slug' => Str::slug($this->resource['name']),
            'category' => Str::headline($this->resource['category']),
            'price' => [
                'cents' => $this->resource['price'],
                'text' => number_format($this->resource['price'] / 100, 2),
            ],
            'discount' => $this->when($this->resource['price'] > 800, 10),
        ];
    }
}
